#ifndef SDA_MIXTURE_H_
#define SDA_MIXTURE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sda/context.h"
#include "sda/dense.h"
#include "sda/estimate.h"
#include "sda/export.h"
#include "sda/primitive.h"
#include "sda/table.h"

namespace SDA_EXPORT sda {

struct MixtureOptions {
  size_t components = 2;

  // The prior: shares ~ Dirichlet(concentration); precision of a component ~ Wishart with
  // columns + 2 degrees of freedom and expected covariance spread^2; its mean, given the precision,
  // worth `weight` rows at the origin. All in units of the columns' scale.
  double concentration = 1;
  double weight = 0.01;
  double spread = 0.3;

  // Of each column: the model sees (x - origin) / scale. Empty: 0 and 1.
  std::vector<double> origin;
  std::vector<double> scale;

  // The first minibatch is fitted from this number of random starts; the one with the best bound
  // stays.
  int restarts = 20;
  uint64_t seed = 1;

  // Keep what the intervals and the centre of components that overlap need beside their sums: in a
  // stream most of the matrix of all pairs of the parameters. Without, and with more than 800
  // parameters, such intervals are too narrow, the more so the more minibatches there are.
  bool joint = true;

  // Iterations over a minibatch end when the bound gains less than this a row.
  double tolerance = 1e-6;
  int max_iterations = 200;

  // If it is interrupted, a minibatch in work ends with an InterruptedError.
  Context context = Context();

  // Throws UsageError naming field and value.
  void Validate(size_t columns) const;
};

// A mixture of Gaussians with full covariances, by variational Bayes. Natural parameters of each
// component, one after the other: rows, sum of x, sum of x x' (lower triangle), to each of which
// the prior adds its share. Then, with `joint`, what the rows are not known to be: see
// MixtureInformation in src/models/mixture_vb.h.
//
// At the prior all components are equal, and the first minibatch has to separate them: it is the
// one whose prior holds no rows. Workers need RunOptions::serial_first = 1 and the latest posterior
// as their prior, or each would number the components in its own way. So of CheckPlugin's promises
// those of exact primitives do not hold, and a sum of deltas from the fixed prior has no meaning.
class Mixture : public Primitive<Table, Dense> {
 public:
  Mixture(std::vector<std::string> columns, MixtureOptions options);

  Dense Prior() const;
  Dense operator()(const Table& data, const Dense& prior, uint64_t key) const override;
  Dense Change(const Table& data, const Dense& prior, uint64_t key) const override;

  // Versions before 0.2 saved this number of parameters, the first; what they did not know of the
  // rows is as in Prior().
  size_t SizeBefore() const;

  // weight[k], mean[k,x], sd[k,x] and cov[k,x,y], k from 1: quantiles of Beta, Student and inverse
  // Gamma distributions, and mean +- 1.96 sd for covariances, with the variance of the linear
  // response. approximate where components overlap too much for that.
  std::vector<Estimate> Describe(const Dense& posterior) const;
  // See ConjugateModel.
  std::optional<std::string> FaultIn(const Dense& posterior) const;

  // For each row, the probabilities that it belongs to each component: a table with as many
  // columns.
  Table Responsibilities(const Dense& posterior, const Table& rows) const;
  // The log predictive density of each row: that of a mixture of Student densities.
  std::vector<double> LogPredictive(const Dense& posterior, const Table& rows) const;

 private:
  std::optional<std::string> FaultInInformation(const Dense& posterior) const;

  std::vector<std::string> columns_;
  MixtureOptions options_;
};

}  // namespace sda

#endif  // SDA_MIXTURE_H_
