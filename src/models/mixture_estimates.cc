// Estimates of a mixture. Marginals of component k with p columns, precision ~ Wishart(n, S^-1),
// mean strength b, and f = n - p + 1 (Gelman et al., Bayesian Data Analysis, 3.6), were it known
// which rows are its own:
//   share       Beta(a_k, sum of the other a)
//   mean_j      m_j + sqrt(S_jj / (b f)) Student(f)
//   variance_j  1 / Gamma(f / 2, S_jj / 2)
//   covariance  S_ij / (n - p - 1), by its mean and variance
// It is not known, and each keeps its family and its centre (of a variance that of the logarithm),
// while its variance, the factor "wider" times as large, is that of the linear response.

#include "models/mixture_estimates.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "models/estimates.h"
#include "models/mixture_information.h"

namespace sda {
namespace {

using boost::math::digamma;
using boost::math::trigamma;
using Eigen::Index;
using Eigen::VectorXd;

double At(const std::vector<double>& values, Index i, double otherwise) {
  return values.empty() ? otherwise : values[static_cast<size_t>(i)];
}

// x > 0 with trigamma(x) = value.
double InverseTrigamma(double value) {
  double low = std::log(1e-4);
  double high = std::log(1 / value + 1);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (trigamma(std::exp(middle)) > value ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

// Covariance under an inverse Wishart, given the standard deviations. With one row or none it has
// no variance; but it is never beyond the product of the two standard deviations, which are beyond
// their upper bounds 2.5% of the time each.
double CovarianceVariance(const ComponentPosterior& q, Index i, Index j, double f) {
  const double s = q.scatter(i, j);
  return ((f + 1) * s * s + (f - 1) * q.scatter(i, i) * q.scatter(j, j)) /
         (f * (f - 1) * (f - 1) * (f - 3));
}

// Where overlap makes the variance of a quantity this many times as large, its distribution is no
// longer that of its family, and the interval holds the truth 90 times in 100. Sooner in a stream
// whose earlier rows were seen from places far away, since the response is of the first order: the
// error grows as the square of the distance (kMostGain), the standard deviation as the root of the
// rows.
constexpr double kMostWider = 5;
constexpr double kMostWiderFromFar = 2;
constexpr double kMostGain = 0.03;

class Describer {
 public:
  Describer(const std::vector<std::string>& columns, const MixtureOptions& options,
            const MixtureState& state)
      : columns_(columns), options_(options), p_(static_cast<Index>(columns.size())) {
    if (state.information.rows > 0) response_.emplace(state, options);
    double rows = 0;
    const std::vector<ComponentSums> settled = response_ ? response_->Settled() : state.sums;
    for (const ComponentSums& sums : settled) {
      q_.push_back(PosteriorOf(sums, options));
      total_ += q_.back().concentration;
      rows += sums.rows;
    }
    size_ = 1 + p_ + p_ * (p_ + 1) / 2;
    const bool far = response_ && response_->Gain(Flat(settled) - state.information.moments) >
                                      kMostGain * std::sqrt(rows);
    most_wider_ = far ? kMostWiderFromFar : kMostWider;
    partly_known_ = q_.size() > 1 && state.information.rows < (1 - 1e-9) * rows;
  }

  std::vector<Estimate> Describe() {
    for (size_t k = 0; k < q_.size(); ++k) {
      number_ = std::to_string(k + 1);
      first_ = static_cast<Index>(k) * size_;
      AddShare(q_[k]);
      for (Index c = 0; c < p_; ++c) AddMean(q_[k], c);
      const size_t first_sd = estimates_.size();
      for (Index c = 0; c < p_; ++c) AddSd(q_[k], c);
      for (Index c = 0; c < p_; ++c) {
        for (Index d = c + 1; d < p_; ++d) AddCovariance(q_[k], c, d, first_sd);
      }
    }
    return std::move(estimates_);
  }

 private:
  double Freedom(const ComponentPosterior& q) const { return q.dof - static_cast<double>(p_) + 1; }

  std::string Name(const char* what, Index c) const {
    return what + ("[" + number_ + "," + columns_[static_cast<size_t>(c)]);
  }

  VectorXd Zero() const { return VectorXd::Zero(size_ * static_cast<Index>(q_.size())); }

  // Of the sum of products of columns i and j.
  Index Product(Index i, Index j) const {
    return first_ + 1 + p_ + std::max(i, j) * (std::max(i, j) + 1) / 2 + std::min(i, j);
  }

  // Adds the derivative of scatter(i, j), times a factor.
  void AddScatter(const ComponentPosterior& q, Index i, Index j, double factor,
                  VectorXd* derivative) const {
    (*derivative)(Product(i, j)) += factor;
    (*derivative)(first_ + 1 + i) -= factor * q.mean(j);
    (*derivative)(first_ + 1 + j) -= factor * q.mean(i);
    (*derivative)(first_) += factor * q.mean(i) * q.mean(j);
  }

  // The variance of a quantity with this derivative by the sums, as a multiple of what it were if
  // it was known which rows are whose.
  double Wider(const VectorXd& derivative) {
    wider_ = response_ ? response_->Wider(derivative) : 1;
    return wider_;
  }

  void Add(Estimate estimate) {
    estimate.approximate = partly_known_ || wider_ > most_wider_;
    estimates_.push_back(std::move(estimate));
  }

  void AddShare(const ComponentPosterior& q) {
    const std::string name = "weight[" + number_ + "]";
    const double others = total_ - q.concentration;
    if (!(others > 0)) {
      Add({name, 1, 0, 1, 1});
      return;
    }
    const double share = q.concentration / total_;
    VectorXd derivative = Zero();
    for (size_t k = 0; k < q_.size(); ++k) derivative(static_cast<Index>(k) * size_) = -share;
    derivative(first_) += 1;
    const double wider = Wider(derivative);
    const double total = std::max((total_ + 1) / wider - 1, std::min(total_, 1.0));
    Add(BetaEstimate(name, share * total, (1 - share) * total));
  }

  void AddMean(const ComponentPosterior& q, Index c) {
    const double f = Freedom(q);
    const double squared = q.scatter(c, c) / (q.strength * f);
    VectorXd derivative = Zero();
    derivative(first_) = -q.mean(c) / q.strength;
    derivative(first_ + 1 + c) = 1 / q.strength;
    const double wider = Wider(derivative);
    const double scale = At(options_.scale, c, 1);
    Add(StudentEstimate(Name("mean", c) + "]", At(options_.origin, c, 0) + scale * q.mean(c),
                        scale * std::sqrt(squared * wider), f));
  }

  void AddSd(const ComponentPosterior& q, Index c) {
    const double shape = Freedom(q) / 2;
    VectorXd derivative = Zero();
    AddScatter(q, c, c, 1 / q.scatter(c, c), &derivative);
    derivative(first_) -= trigamma(shape) / 2;
    const double wider = Wider(derivative);
    const double scale = At(options_.scale, c, 1);
    double rate = scale * scale * q.scatter(c, c) / 2;
    double wide_shape = shape;
    if (wider > 1) {
      wide_shape = InverseTrigamma(trigamma(shape) * wider);
      rate *= std::exp(digamma(wide_shape) - digamma(shape));
    }
    Add(InverseRootGammaEstimate(Name("sd", c) + "]", wide_shape, rate));
  }

  void AddCovariance(const ComponentPosterior& q, Index i, Index j, size_t first_sd) {
    const double f = q.dof - static_cast<double>(p_);  // > 3 from two rows on
    const double scale = At(options_.scale, i, 1) * At(options_.scale, j, 1);
    const double mean = q.scatter(i, j) / (f - 1);
    const std::string name = Name("cov", i) + "," + columns_[static_cast<size_t>(j)] + "]";
    if (!(f > 3)) {
      const double most = estimates_[first_sd + static_cast<size_t>(i)].upper *
                          estimates_[first_sd + static_cast<size_t>(j)].upper;
      Add({name, scale * mean, std::numeric_limits<double>::infinity(), -most, most});
      return;
    }
    VectorXd derivative = Zero();
    AddScatter(q, i, j, 1 / (f - 1), &derivative);
    derivative(first_) -= mean / (f - 1);
    const double variance = CovarianceVariance(q, i, j, f);
    Add(NormalEstimate(name, scale * mean, scale * std::sqrt(variance * Wider(derivative))));
  }

  const std::vector<std::string>& columns_;
  const MixtureOptions& options_;
  Index p_;
  Index size_ = 0;  // numbers of one component
  std::vector<ComponentPosterior> q_;
  double total_ = 0;  // concentration
  std::optional<Response> response_;
  double wider_ = 1;  // of the quantity that is described
  double most_wider_ = kMostWider;
  bool partly_known_ = false;  // rows were fitted without keeping what is missing

  std::string number_;  // of the component that is described
  Index first_ = 0;     // of its numbers
  std::vector<Estimate> estimates_;
};

}  // namespace

std::vector<Estimate> MixtureEstimates(const std::vector<std::string>& columns,
                                       const MixtureOptions& options, const MixtureState& state) {
  return Describer(columns, options, state).Describe();
}

}  // namespace sda
