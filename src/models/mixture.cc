// A mixture of Gaussians; mixture_vb.cc has the equations. Marginals of component k's posterior,
// with p columns, Wishart(n, S^-1), mean strength b (Gelman et al., Bayesian Data Analysis, 3.6):
//   share       Beta(a_k, sum of the other a)
//   mean_j      m_j + sqrt(S_jj / (b (n - p + 1))) Student(n - p + 1)
//   variance_j  1 / Gamma((n - p + 1) / 2, S_jj / 2)
//   predictive  Student density with n - p + 1 degrees of freedom, location m and scale matrix
//               S (1 + b) / (b (n - p + 1))

#include "sda/mixture.h"

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "models/estimates.h"
#include "models/mixture_vb.h"
#include "sda/errors.h"

namespace sda {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

size_t SizeOf(size_t p) { return 1 + p + p * (p + 1) / 2; }

std::vector<ComponentSums> Unpack(const Dense& params, size_t components, size_t p) {
  if (params.size() != components * SizeOf(p)) {
    throw std::logic_error("the parameters are those of another mixture");
  }
  std::vector<ComponentSums> sums(components);
  const double* next = params.data();
  for (ComponentSums& k : sums) {
    k.rows = *next++;
    k.sum = Eigen::Map<const VectorXd>(next, static_cast<Eigen::Index>(p));
    next += p;
    k.square.resize(p, p);
    for (size_t i = 0; i < p; ++i) {
      for (size_t j = 0; j <= i; ++j) k.square(i, j) = k.square(j, i) = *next++;
    }
  }
  return sums;
}

Dense Pack(const std::vector<ComponentSums>& sums) {
  const size_t p = sums[0].sum.size();
  std::vector<double> values;
  values.reserve(sums.size() * SizeOf(p));
  for (const ComponentSums& k : sums) {
    values.push_back(k.rows);
    values.insert(values.end(), k.sum.data(), k.sum.data() + p);
    for (size_t i = 0; i < p; ++i) {
      for (size_t j = 0; j <= i; ++j) values.push_back(k.square(i, j));
    }
  }
  return Dense(std::move(values));
}

double At(const std::vector<double>& values, size_t i, double otherwise) {
  return values.empty() ? otherwise : values[i];
}

// One column a row of the table, standardized.
MatrixXd Standardize(const Table& rows, const MixtureOptions& options) {
  MatrixXd x(rows.columns, rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t c = 0; c < rows.columns; ++c) {
      x(c, i) = (rows.row(i)[c] - At(options.origin, c, 0)) / At(options.scale, c, 1);
      if (!(std::abs(x(c, i)) <= 1e70)) {
        throw std::domain_error(
            "a value is not within 1e70 times the spread of its column in the "
            "first minibatch");
      }
    }
  }
  return x;
}

// Covariance of columns i and j under an inverse Wishart, given their standard deviations. With one
// row or none it has no variance; but it is never beyond the product of the two standard
// deviations, which are beyond their upper bounds 2.5% of the time each.
Estimate CovarianceEstimate(std::string name, const ComponentPosterior& q, size_t i, size_t j,
                            double scale, const Estimate& sd_i, const Estimate& sd_j) {
  const double f = q.dof - static_cast<double>(q.mean.size());  // > 3 from two rows on
  const double s = q.scatter(i, j);
  const double mean = s / (f - 1);
  if (!(f > 3)) {
    const double most = sd_i.upper * sd_j.upper;
    return {std::move(name), scale * mean, std::numeric_limits<double>::infinity(), -most, most};
  }
  const double variance = ((f + 1) * s * s + (f - 1) * q.scatter(i, i) * q.scatter(j, j)) /
                          (f * (f - 1) * (f - 1) * (f - 3));
  return NormalEstimate(std::move(name), scale * mean, scale * std::sqrt(variance));
}

}  // namespace

void MixtureOptions::Validate(size_t columns) const {
  if (components < 1 || components > 1000) {
    throw UsageError("components is " + std::to_string(components) +
                     ", must be at least 1 and at most 1000");
  }
  if (columns == 0) throw UsageError("a mixture needs at least one column");
  CheckPositive("concentration", concentration);
  CheckPositive("weight", weight);
  CheckPositive("spread", spread);
  for (const auto* values : {&origin, &scale}) {
    if (!values->empty() && values->size() != columns) {
      throw UsageError("an origin and a scale are needed for each column, or none");
    }
  }
  for (const double value : scale) {
    if (!(value > 0)) {
      throw UsageError("scale is " + std::to_string(value) + ", must be above 0");
    }
  }
  if (restarts < 1 || max_iterations < 1 || !(tolerance > 0)) {
    throw UsageError("restarts, max_iterations and tolerance must be above 0");
  }
}

Mixture::Mixture(std::vector<std::string> columns, MixtureOptions options)
    : columns_(std::move(columns)), options_(std::move(options)) {
  options_.Validate(columns_.size());
}

Dense Mixture::Prior() const {
  const auto p = static_cast<Eigen::Index>(columns_.size());
  const double variance = options_.spread * options_.spread;
  const ComponentSums one{0, VectorXd::Zero(p), variance * MatrixXd::Identity(p, p)};
  return Pack(std::vector<ComponentSums>(options_.components, one));
}

Dense Mixture::operator()(const Table& data, const Dense& prior, uint64_t key) const {
  Dense posterior = prior;
  posterior += Change(data, prior, key);
  return posterior;
}

Dense Mixture::Change(const Table& data, const Dense& prior, uint64_t /*key*/) const {
  const auto from = Unpack(prior, options_.components, columns_.size());
  Dense change = Pack(FitMixture(Standardize(data, options_), from, options_));
  change -= prior;
  return change;
}

std::vector<Estimate> Mixture::Describe(const Dense& posterior) const {
  const size_t p = columns_.size();
  std::vector<ComponentPosterior> q;
  double total = 0;
  for (const ComponentSums& sums : Unpack(posterior, options_.components, p)) {
    q.push_back(PosteriorOf(sums, options_));
    total += q.back().concentration;
  }
  std::vector<Estimate> estimates;
  for (size_t k = 0; k < q.size(); ++k) {
    const std::string number = std::to_string(k + 1);
    const double others = total - q[k].concentration;
    estimates.push_back(others > 0
                            ? BetaEstimate("weight[" + number + "]", q[k].concentration, others)
                            : Estimate{"weight[" + number + "]", 1, 0, 1, 1});
    const double dof = q[k].dof - static_cast<double>(p) + 1;
    auto name = [&](const char* what, size_t c) {
      return what + ("[" + number + "," + columns_[c]);
    };
    for (size_t c = 0; c < p; ++c) {
      const double scale = At(options_.scale, c, 1);
      estimates.push_back(
          StudentEstimate(name("mean", c) + "]", At(options_.origin, c, 0) + scale * q[k].mean(c),
                          scale * std::sqrt(q[k].scatter(c, c) / (q[k].strength * dof)), dof));
    }
    const size_t first_sd = estimates.size();
    for (size_t c = 0; c < p; ++c) {
      const double scale = At(options_.scale, c, 1);
      estimates.push_back(InverseRootGammaEstimate(name("sd", c) + "]", dof / 2,
                                                   scale * scale * q[k].scatter(c, c) / 2));
    }
    for (size_t c = 0; c < p; ++c) {
      for (size_t d = c + 1; d < p; ++d) {
        estimates.push_back(CovarianceEstimate(name("cov", c) + "," + columns_[d] + "]", q[k], c, d,
                                               At(options_.scale, c, 1) * At(options_.scale, d, 1),
                                               estimates[first_sd + c], estimates[first_sd + d]));
      }
    }
  }
  return estimates;
}

Table Mixture::Responsibilities(const Dense& posterior, const Table& rows) const {
  if (rows.size() == 0) return {options_.components, {}};
  const auto p = static_cast<double>(columns_.size());
  const MatrixXd x = Standardize(rows, options_);
  const auto sums = Unpack(posterior, options_.components, columns_.size());
  MatrixXd log_density(x.cols(), static_cast<Eigen::Index>(sums.size()));
  for (size_t k = 0; k < sums.size(); ++k) {
    const ComponentPosterior q = PosteriorOf(sums[k], options_);
    const double dof = q.dof - p + 1;
    const double widening = (1 + q.strength) / q.strength;
    const MatrixXd scaled = q.factor.triangularView<Eigen::Lower>().solve(x.colwise() - q.mean);
    const double constant = std::log(q.concentration) + boost::math::lgamma((dof + p) / 2) -
                            boost::math::lgamma(dof / 2) - q.log_det_scatter / 2 -
                            p / 2 * std::log(widening);
    log_density.col(static_cast<Eigen::Index>(k)) =
        constant -
        (dof + p) / 2 * (scaled.colwise().squaredNorm().transpose().array() / widening + 1).log();
  }
  Table result{sums.size(), {}};
  for (Eigen::Index i = 0; i < x.cols(); ++i) {
    VectorXd weights = (log_density.row(i).array() - log_density.row(i).maxCoeff()).exp();
    weights /= weights.sum();
    result.values.insert(result.values.end(), weights.data(), weights.data() + weights.size());
  }
  return result;
}

}  // namespace sda
