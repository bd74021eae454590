#include "models/estimates.h"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <utility>

#include "sda/errors.h"

namespace sda {
namespace {

// Extreme parameters must give 0 or infinity, not an exception.
namespace policies = boost::math::policies;
using Quiet = policies::policy<policies::overflow_error<policies::ignore_error>,
                               policies::underflow_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>>;

constexpr double kLowerTail = 0.025;
constexpr double kUpperTail = 0.975;
constexpr double kMaxCount = 1e15;   // beyond it the quantiles of a Beta take too long
constexpr double kMinCount = 1e-15;  // of a prior: a number beside it is exact
constexpr double kMaxUnit = 1e200;   // more than two numbers of a table can differ by
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// -1 as "-1" and 1e200 as "1e+200".
std::string Show(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

}  // namespace

Estimate BetaEstimate(std::string name, double a, double b) {
  const double n = a + b;
  if (n > kMaxCount) {  // a point, within the precision of a double
    const double sd = std::sqrt(a / n * (b / n) / n);
    return {std::move(name), a / n, sd, std::max(0.0, a / n - 1.96 * sd),
            std::min(1.0, a / n + 1.96 * sd)};
  }
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

Estimate NormalEstimate(std::string name, double mean, double sd) {
  constexpr double kUpperQuantile = 1.95996398454005423552;
  return {std::move(name), mean, sd, mean - kUpperQuantile * sd, mean + kUpperQuantile * sd};
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

double LogStudentDensity(double x, double location, double scale, double dof) {
  const double z = (x - location) / scale;
  return boost::math::lgamma((dof + 1) / 2) - boost::math::lgamma(dof / 2) -
         std::log(dof * boost::math::constants::pi<double>()) / 2 - std::log(scale) -
         (dof + 1) / 2 * std::log1p(z * z / dof);
}

void CheckPositive(const char* field, double value) {
  if (!(value >= kMinCount && value <= kMaxCount)) {
    throw UsageError("prior " + std::string(field) + " is " + Show(value) +
                     ", must be a number from 1e-15 to 1e15");
  }
}

void CheckNotNegative(const char* field, double value) {
  if (value == 0) return;
  if (!(value >= kMinCount && value <= kMaxCount)) {
    throw UsageError("prior " + std::string(field) + " is " + Show(value) +
                     ", must be 0 or a number from 1e-15 to 1e15");
  }
}

void CheckOrigins(const std::vector<double>& origins) {
  for (const double value : origins) {
    if (std::abs(value) <= kMaxUnit) continue;
    throw UsageError("origin is " + Show(value) + ", must be a number from -1e200 to 1e200");
  }
}

void CheckScales(const std::vector<double>& scales) {
  for (const double value : scales) {
    if (value >= 1 / kMaxUnit && value <= kMaxUnit) continue;
    throw UsageError("scale is " + Show(value) + ", must be a number from 1e-200 to 1e200");
  }
}

}  // namespace sda
