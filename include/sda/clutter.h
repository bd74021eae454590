#ifndef SDA_CLUTTER_H_
#define SDA_CLUTTER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sda/dense.h"
#include "sda/estimate.h"
#include "sda/export.h"
#include "sda/primitive.h"
#include "sda/table.h"

namespace SDA_EXPORT sda {

struct ClutterOptions {
  double share = 0.5;           // of the rows that are clutter, in (0, 1)
  double variance = 10;         // of the clutter, which lies around 0
  double prior_variance = 100;  // of the location, which the prior has around 0
  double tolerance = 1e-6;      // passes end when the mean moved by less, in standard deviations
  int max_passes = 100;

  // Throws UsageError naming field and value.
  void Validate() const;
};

// The clutter problem (Minka 2001), expectation propagation's textbook example: where is the source
// of measurements with noise of variance 1, when a known share of them is clutter?
//   x ~ (1 - share) Normal(location, I) + share Normal(0, variance I)
// The posterior is a Gaussian with one variance for all columns; natural parameters: precision
// times mean, a number a column, then the precision.
//
// The likelihood is not log-concave: a site may have a negative precision. Within a minibatch the
// posterior stays proper; the sum of deltas of many workers from a wide prior need not, and a prior
// without a positive precision is refused by std::domain_error. EP may also settle on one of two
// modes.
class Clutter : public Primitive<Table, Dense> {
 public:
  explicit Clutter(size_t columns, ClutterOptions options = {});

  Dense Prior() const;
  Dense operator()(const Table& data, const Dense& prior, uint64_t key) const override;
  // location[1], location[2], ...
  std::vector<Estimate> Describe(const Dense& posterior) const;
  // See ConjugateModel.
  std::optional<std::string> FaultIn(const Dense& posterior) const;

 private:
  size_t columns_;
  ClutterOptions options_;
};

}  // namespace sda

#endif  // SDA_CLUTTER_H_
