// The clutter problem by expectation propagation (Minka 2001, section 3.2.1). With the cavity
// Normal(m, v I) of a row x in d dimensions,
//   r  = probability that x is not clutter = (1 - w) N(x; m, v + 1) / Z
//   m' = m + v r (x - m) / (v + 1)
//   v' = v - r v^2 / (v + 1) + r (1 - r) v^2 |x - m|^2 / (d (v + 1)^2)
// and the site is what turns Normal(m, v) into Normal(m', v').

#include "sda/clutter.h"

#include <Eigen/Dense>
#include <cmath>
#include <stdexcept>
#include <string>

#include "models/estimates.h"
#include "models/faults.h"
#include "sda/errors.h"

namespace sda {
namespace {

using Eigen::VectorXd;

struct Spherical {
  VectorXd linear;  // precision times mean
  double precision = 0;
};

void CheckAbove(const char* field, double value, double limit) {
  if (!(value > 0 && value < limit)) {
    throw UsageError(std::string(field) + " is " + std::to_string(value) +
                     ", must be above 0 and below " + std::to_string(limit));
  }
}

// log N(x; m, variance I) without the common factor, from |x - m|^2.
double LogDensity(double squared_distance, double variance, double d) {
  return -0.5 * (squared_distance / variance + d * std::log(variance));
}

// The Gaussian with the moments of the cavity times the true factor of x.
Spherical Match(const VectorXd& x, const Spherical& cavity, const ClutterOptions& options) {
  const auto d = static_cast<double>(x.size());
  const double v = 1 / cavity.precision;
  const VectorXd m = cavity.linear * v;
  const double distance = (x - m).squaredNorm();
  const double odds = std::log(options.share / (1 - options.share)) +
                      LogDensity(x.squaredNorm(), options.variance, d) -
                      LogDensity(distance, v + 1, d);
  const double r = 1 / (1 + std::exp(odds));
  const double gain = v / (v + 1);
  const VectorXd mean = m + gain * r * (x - m);
  const double variance = v - r * gain * v + r * (1 - r) * gain * gain * distance / d;
  return {mean / variance, 1 / variance};
}

}  // namespace

void ClutterOptions::Validate() const {
  CheckAbove("share", share, 1);
  CheckAbove("variance", variance, 1e100);
  CheckAbove("prior_variance", prior_variance, 1e100);
  CheckAbove("tolerance", tolerance, 1);
  if (max_passes < 1) {
    throw UsageError("max_passes is " + std::to_string(max_passes) + ", must be at least 1");
  }
}

Clutter::Clutter(size_t columns, ClutterOptions options) : columns_(columns), options_(options) {
  if (columns == 0) throw UsageError("a location needs at least one column");
  options_.Validate();
}

Dense Clutter::Prior() const {
  Dense prior(columns_ + 1);
  prior[columns_] = 1 / options_.prior_variance;
  return prior;
}

Dense Clutter::operator()(const Table& data, const Dense& prior, uint64_t /*key*/) const {
  const auto d = static_cast<Eigen::Index>(columns_);
  Spherical q{Eigen::Map<const VectorXd>(prior.data(), d), prior[columns_]};
  if (!(q.precision > 0)) {
    throw std::domain_error("the prior's precision is " + std::to_string(q.precision) +
                            ", must be above 0");
  }
  std::vector<Spherical> sites(data.size(), {VectorXd::Zero(d), 0});
  for (int pass = 0; pass < options_.max_passes; ++pass) {
    const Spherical before = q;
    for (size_t i = 0; i < data.size(); ++i) {
      const Spherical cavity{q.linear - sites[i].linear, q.precision - sites[i].precision};
      if (!(cavity.precision > 0)) continue;  // an improper cavity: try again in the next pass
      const VectorXd x = Eigen::Map<const VectorXd>(data.row(i).data(), d);
      q = Match(x, cavity, options_);
      sites[i] = {q.linear - cavity.linear, q.precision - cavity.precision};
    }
    const double moved = (q.linear / q.precision - before.linear / before.precision).norm();
    if (moved * std::sqrt(q.precision) < options_.tolerance &&
        std::abs(q.precision / before.precision - 1) < options_.tolerance) {
      break;
    }
  }
  Dense posterior(columns_ + 1);
  std::copy_n(q.linear.data(), columns_, posterior.data());
  posterior[columns_] = q.precision;
  return posterior;
}

std::vector<Estimate> Clutter::Describe(const Dense& posterior) const {
  std::vector<Estimate> estimates;
  const double precision = posterior[columns_];
  if (!(precision > 0)) throw std::domain_error("the posterior's precision is not above 0");
  for (size_t c = 0; c < columns_; ++c) {
    estimates.push_back(NormalEstimate("location[" + std::to_string(c + 1) + "]",
                                       posterior[c] / precision, 1 / std::sqrt(precision)));
  }
  return estimates;
}

std::optional<std::string> Clutter::FaultIn(const Dense& posterior) const {
  for (size_t i = 0; i <= columns_; ++i) {
    const NumberRange& range = i < columns_ ? kLinears : kPrecisions;
    if (range.Holds(posterior[i])) continue;
    return FaultText(i, i < columns_ ? "precision times mean" : "the precision", posterior[i],
                     range);
  }
  return std::nullopt;
}

}  // namespace sda
