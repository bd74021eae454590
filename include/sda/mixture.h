#ifndef SDA_MIXTURE_H_
#define SDA_MIXTURE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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

  // Iterations over a minibatch end when the bound gains less than this a row.
  double tolerance = 1e-6;
  int max_iterations = 200;

  // Throws UsageError naming field and value.
  void Validate(size_t columns) const;
};

// A mixture of Gaussians with full covariances, by variational Bayes. Natural parameters of each
// component, one after the other: rows, sum of x, sum of x x' (lower triangle), to each of which
// the prior adds its share.
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

  // weight[k], mean[k,x], sd[k,x] and cov[k,x,y], k from 1. Intervals of covariances are mean +-
  // 1.96 sd; all others are exact quantiles of the posterior's marginals.
  std::vector<Estimate> Describe(const Dense& posterior) const;

  // For each row, the probabilities that it belongs to each component: a table with as many
  // columns.
  Table Responsibilities(const Dense& posterior, const Table& rows) const;

 private:
  std::vector<std::string> columns_;
  MixtureOptions options_;
};

}  // namespace sda

#endif  // SDA_MIXTURE_H_
