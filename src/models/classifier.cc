// Binary regression: P(y = 1 | x) = link(x'w), with w ~ Normal.
//   posterior   approximated by the Gaussian exp(h'w - w'P w / 2): mean P^-1 h, covariance P^-1
//   prior       P diagonal, h = 0
//   a row adds  precision_i x x' to P and linear_i x to h: its site, see sites.cc
//   predictive  E[link(f)], f = x'w ~ Normal(x'P^-1 h, x'P^-1 x); Phi(m / sqrt(1 + v)) for probit
// Natural parameters: (P packed by rows of its lower triangle, h), the intercept first. x stands
// for the standardized features, (x - origin) / scale.

#include "sda/classifier.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "models/classifier_parts.h"
#include "models/estimates.h"
#include "models/faults.h"
#include "models/likelihood.h"
#include "models/sites.h"
#include "sda/errors.h"

namespace sda {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

size_t PackedSize(size_t p) { return p * (p + 1) / 2; }

NaturalGaussian Unpack(const Dense& params, size_t p) {
  if (params.size() != PackedSize(p) + p) {
    throw std::logic_error("the parameters are those of another regression");
  }
  NaturalGaussian natural{MatrixXd(p, p), Eigen::Map<const VectorXd>(params.data() + PackedSize(p),
                                                                     static_cast<long>(p))};
  const double* next = params.data();
  for (size_t i = 0; i < p; ++i) {
    for (size_t j = 0; j <= i; ++j) natural.precision(i, j) = natural.precision(j, i) = *next++;
  }
  return natural;
}

Dense Pack(const NaturalGaussian& natural) {
  const size_t p = natural.linear.size();
  Dense params(PackedSize(p) + p);
  double* next = params.data();
  for (size_t i = 0; i < p; ++i) {
    for (size_t j = 0; j <= i; ++j) *next++ = natural.precision(i, j);
  }
  std::copy_n(natural.linear.data(), p, next);
  return params;
}

}  // namespace

Classifier::Classifier(std::vector<std::string> features, ClassifierOptions options)
    : features_(std::move(features)), options_(std::move(options)) {
  options_.Validate(features_.size());
  if (coefficients() == 0) {
    throw UsageError("a regression needs at least one feature or an intercept");
  }
}

Dense Classifier::Prior() const {
  const size_t p = coefficients();
  Dense params(PackedSize(p) + p);
  for (size_t j = 0; j < p; ++j) {
    const double sd = options_.intercept && j == 0 ? options_.intercept_sd : options_.sd;
    params[PackedSize(j) + j] = 1 / (sd * sd);
  }
  return params;
}

Dense Classifier::operator()(const Table& data, const Dense& prior, uint64_t key) const {
  Dense posterior = prior;
  posterior += Change(data, prior, key);
  return posterior;
}

Dense Classifier::Change(const Table& data, const Dense& prior, uint64_t /*key*/) const {
  const size_t first = options_.intercept ? 1 : 0;
  MatrixXd x(coefficients(), data.size());
  VectorXd signs(data.size());
  for (size_t i = 0; i < data.size(); ++i) {
    options_.context.ThrowIfInterrupted();
    const auto row = data.row(i);
    if (options_.intercept) x(0, i) = 1;
    for (size_t c = 0; c < features_.size(); ++c) {
      x(first + c, i) = Standardize(options_, features_, c, row[c]);
      if (options_.method == SiteMethod::kVb && !(std::abs(x(first + c, i)) <= kMostForVb)) {
        throw std::domain_error(fmt::format(
            "row {}: feature \"{}\" is {:g}, more than {:g} times its spread in the first "
            "minibatch, which is too much for VB; take it out, or use EP",
            i + 1, features_[c], row[c], kMostForVb));
      }
    }
    signs(i) = SignOf(row.back());
  }
  const NaturalGaussian from = Unpack(prior, coefficients());
  const SumOfSites sites = options_.method == SiteMethod::kEp ? EpSites(x, signs, from, options_)
                                                              : VbSites(x, signs, from, options_);
  if (!sites.converged) ++*unconverged_;
  return Pack(sites.sum);
}

std::vector<Estimate> Classifier::Describe(const Dense& posterior) const {
  const size_t p = coefficients();
  const Gaussian q = Solve(Unpack(posterior, p));
  const double sign = swapped_ ? -1 : 1;
  auto marginal = [&](std::string name, const VectorXd& u) {
    Estimate e = NormalEstimate(std::move(name), sign * u.dot(q.mean) + 0.0,
                                std::sqrt(u.dot(q.covariance * u)));
    e.approximate = IsTooNarrow();
    return e;
  };
  std::vector<Estimate> estimates;
  VectorXd u = VectorXd::Zero(p);
  if (options_.intercept) {
    // The score at x = 0: w_0 - sum of origin_j / scale_j w_j.
    u(0) = 1;
    for (size_t j = 1; j < p; ++j) u(j) = -OriginOf(options_, j - 1) / ScaleOf(options_, j - 1);
    estimates.push_back(marginal("intercept", u));
  }
  for (size_t c = 0; c < features_.size(); ++c) {
    u.setZero();
    u(c + (options_.intercept ? 1 : 0)) = 1 / ScaleOf(options_, c);
    estimates.push_back(marginal("coef[" + features_[c] + "]", u));
  }
  return estimates;
}

std::vector<Classifier::Score> Classifier::Scores(const Dense& posterior, const Table& rows) const {
  const size_t first = options_.intercept ? 1 : 0;
  const Gaussian q = Solve(Unpack(posterior, coefficients()));
  std::vector<Score> scores;
  VectorXd x(coefficients());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = rows.row(i);
    if (options_.intercept) x(0) = 1;
    for (size_t c = 0; c < features_.size(); ++c) {
      x(first + c) = Standardize(options_, features_, c, row[c]);
    }
    scores.push_back({x.dot(q.mean), x.dot(q.covariance * x)});
  }
  return scores;
}

std::vector<Estimate> Classifier::Predict(const Dense& posterior, const Table& features) const {
  std::vector<Estimate> predictions;
  for (const Score& score : Scores(posterior, features)) {
    predictions.push_back(
        ProbabilityEstimate(options_.link, (swapped_ ? -1 : 1) * score.mean, score.variance));
    predictions.back().approximate = IsTooNarrow();
  }
  return predictions;
}

std::vector<double> Classifier::LogPredictive(const Dense& posterior, const Table& rows) const {
  const std::vector<Score> scores = Scores(posterior, rows);
  std::vector<double> logs;
  for (size_t i = 0; i < scores.size(); ++i) {
    const auto [mean, variance] = scores[i];
    logs.push_back(LogMeanOf(options_.link, SignOf(rows.row(i).back()) * mean, variance));
  }
  return logs;
}

std::vector<std::string> Classifier::Undecided(const Dense& posterior) const {
  const size_t first = options_.intercept ? 1 : 0;
  const Gaussian q = Solve(Unpack(posterior, coefficients()));
  std::vector<std::string> names;
  for (size_t j = 0; j < coefficients(); ++j) {
    const bool is_intercept = j < first;
    const double prior_sd = is_intercept ? options_.intercept_sd : options_.sd;
    if (std::sqrt(q.covariance(j, j)) > kUndecidedShare * prior_sd) {
      names.push_back(is_intercept ? "intercept" : "coef[" + features_[j - first] + "]");
    }
  }
  return names;
}

std::optional<std::string> Classifier::FaultIn(const Dense& posterior) const {
  const size_t p = coefficients();
  const size_t first = options_.intercept ? 1 : 0;
  auto name = [&](size_t j) {
    return j < first ? "intercept" : "\"" + features_[j - first] + "\"";
  };
  for (size_t i = 0; i < p; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      const size_t number = PackedSize(i) + j;
      const NumberRange& range = i == j ? kPrecisions : kLinears;
      if (range.Holds(posterior[number])) continue;
      return FaultText(number,
                       "the precision of the coefficients of " + name(i) + " and " + name(j),
                       posterior[number], range);
    }
    const size_t number = PackedSize(p) + i;
    if (kLinears.Holds(posterior[number])) continue;
    return FaultText(number, "precision times mean of the coefficient of " + name(i),
                     posterior[number], kLinears);
  }
  if (Eigen::LLT<MatrixXd>(Unpack(posterior, p).precision).info() != Eigen::Success) {
    return kNotDefinite;
  }
  return std::nullopt;
}

}  // namespace sda
