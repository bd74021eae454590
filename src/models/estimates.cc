#include "models/estimates.h"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace sda {
namespace {

// Extreme parameters must give 0 or infinity, not an exception.
namespace policies = boost::math::policies;
using Quiet = policies::policy<policies::overflow_error<policies::ignore_error>,
                               policies::underflow_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>>;

constexpr double kLowerTail = 0.025;
constexpr double kUpperTail = 0.975;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Estimate BetaEstimate(std::string name, double a, double b) {
  const double n = a + b;
  const boost::math::beta_distribution<double, Quiet> beta(a, b);
  return {std::move(name), a / n, std::sqrt(a / n * (b / n) / (n + 1)),
          boost::math::quantile(beta, kLowerTail), boost::math::quantile(beta, kUpperTail)};
}

Estimate GammaEstimate(std::string name, double shape, double rate) {
  if (rate == 0) return {std::move(name), kInfinity, kInfinity, kInfinity, kInfinity};
  const boost::math::gamma_distribution<double, Quiet> gamma(shape, 1 / rate);
  return {std::move(name), shape / rate, std::sqrt(shape) / rate,
          boost::math::quantile(gamma, kLowerTail), boost::math::quantile(gamma, kUpperTail)};
}

Estimate StudentEstimate(std::string name, double location, double scale, double dof) {
  const boost::math::students_t_distribution<double, Quiet> t(dof);
  const double half_width = scale * boost::math::quantile(t, kUpperTail);
  const double sd = dof > 2 ? scale * std::sqrt(dof / (dof - 2)) : kInfinity;
  return {std::move(name), location, sd, location - half_width, location + half_width};
}

Estimate InverseRootGammaEstimate(std::string name, double shape, double rate) {
  if (rate == 0) return {std::move(name), 0, 0, 0, 0};
  const Estimate precision = GammaEstimate("", shape, rate);
  // E[x^-1/2] = sqrt(rate) Gamma(shape - 1/2) / Gamma(shape); E[1/x] = rate / (shape - 1).
  double mean = kInfinity;
  double sd = kInfinity;
  if (shape > 0.5) {
    mean = std::sqrt(rate) * boost::math::tgamma_delta_ratio(shape - 0.5, 0.5);
  }
  if (shape > 1) sd = std::sqrt(std::max(0.0, rate / (shape - 1) - mean * mean));
  return {std::move(name), mean, sd, 1 / std::sqrt(precision.upper),
          1 / std::sqrt(precision.lower)};
}

void CheckPositive(const char* field, double value) {
  if (!(value > 0) || std::isinf(value)) {
    throw std::invalid_argument("prior " + std::string(field) + " is " + std::to_string(value) +
                                ", must be a number greater than 0");
  }
}

void CheckNotNegative(const char* field, double value) {
  if (!(value >= 0) || std::isinf(value)) {
    throw std::invalid_argument("prior " + std::string(field) + " is " + std::to_string(value) +
                                ", must be a number of at least 0");
  }
}

}  // namespace sda
