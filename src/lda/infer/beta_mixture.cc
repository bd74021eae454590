#include "lda/infer/beta_mixture.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace sda::lda {
namespace {

// Extreme parameters must give 0 or infinity, not an exception.
namespace policies = boost::math::policies;
using Quiet = policies::policy<policies::overflow_error<policies::ignore_error>,
                               policies::underflow_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>>;

constexpr double kMaxLogOdds = 700;  // beyond, x is 0 or 1
constexpr double kMaxCount =
    1e15;  // beyond it, the proportion is a point within a double's precision
constexpr double kTolerance = 1e-7;  // of the probability of a tail, relative
constexpr int kMaxSteps = 200;

}  // namespace

double BetaMixture::Mean() const {
  double mean = 0;
  for (const Part& part : parts) mean += part.weight * (a + part.n);
  return mean / (a + b);
}

double BetaMixture::Variance() const {
  const double mean = Mean();
  double variance = 0;
  for (const Part& part : parts) {
    const double m = (a + part.n) / (a + b);
    variance += part.weight * (m * (1 - m) / (a + b + 1) + (m - mean) * (m - mean));
  }
  return variance;
}

// One incomplete beta function serves all parts, since with g(a, b) = x^a (1 - x)^b / B(a, b)
//   I_x(a, b) = I_x(a + 1, b - 1) + g(a + 1, b - 1) / (x (b - 1)),
//   g(a, b) = g(a + 1, b - 1) (1 - x) a / (x (b - 1)).
// It starts at the part where g is largest, so that nothing underflows that counts. Differences
// cancel, but to an absolute precision far beyond kTolerance.
BetaMixture::Value BetaMixture::At(double log_odds) const {
  const double x = 1 / (1 + std::exp(-log_odds));
  const double rest = 1 / (1 + std::exp(log_odds));
  const double likely =
      std::clamp<double>(std::round(x * (a + b) - a), parts.front().n, parts.back().n);
  auto middle = std::lower_bound(parts.begin(), parts.end(), likely,
                                 [](const Part& part, double n) { return part.n < n; });
  const double below = boost::math::ibeta(a + middle->n, b - middle->n, x, Quiet());
  const double slope =
      boost::math::ibeta_derivative(a + middle->n, b - middle->n, x, Quiet()) * x * rest;

  Value sum = {middle->weight * below, middle->weight * slope};
  double i = below, g = slope;
  uint32_t n = middle->n;
  for (auto part = middle + 1; part != parts.end(); ++part) {
    for (; n < part->n; ++n) {
      g *= x / rest * (b - n - 1) / (a + n);
      i -= g / (x * (b - n - 1));
    }
    sum.probability += part->weight * std::max(i, 0.0);
    sum.slope += part->weight * g;
  }
  i = below, g = slope, n = middle->n;
  for (auto part = middle; part != parts.begin();) {
    --part;
    for (; n > part->n; --n) {
      i += g / (x * (b - n));
      g *= rest / x * (a + n - 1) / (b - n);
    }
    sum.probability += part->weight * std::min(i, 1.0);
    sum.slope += part->weight * g;
  }
  return sum;
}

// Where the lower or the upper tail has this probability. Newton's method for the logarithm of that
// probability, which is nearly a straight line far out, within a bracket that every step makes
// smaller.
double BetaMixture::LogOdds(double tail, bool upper) const {
  double low = -kMaxLogOdds, high = kMaxLogOdds;
  const auto tail_at = [&](const Value& value) {
    return upper ? 1 - value.probability : value.probability;
  };
  if (!upper && At(low).probability > tail) return -HUGE_VAL;
  double t = std::clamp(std::log(Mean() / (1 - Mean())), low, high);
  for (int step = 0; step < kMaxSteps && high - low > 1e-9 * (1 + std::abs(t)); ++step) {
    const Value value = At(t);
    const double found = tail_at(value);
    if (std::abs(found - tail) < kTolerance * tail) break;
    ((found > tail) == upper ? low : high) = t;
    const double change = std::log(found / tail) * found / value.slope;
    t += upper ? change : -change;
    if (!(t > low && t < high)) t = (low + high) / 2;
  }
  return t;
}

Estimate BetaMixture::Summary(double level) const {
  if (!(b > 0)) return {"", 1, 0, 1, 1};
  const double mean = Mean();
  const double sd = std::sqrt(Variance());
  const double tail = (1 - level) / 2;
  const auto proportion = [](double log_odds) { return 1 / (1 + std::exp(-log_odds)); };
  if (a + b > kMaxCount) {
    const double half = sd * boost::math::quantile(boost::math::normal(), 1 - tail);
    return {"", mean, sd, std::max(0.0, mean - half), std::min(1.0, mean + half)};
  }
  return {"", mean, sd, proportion(LogOdds(tail, false)), proportion(LogOdds(tail, true))};
}

}  // namespace sda::lda
