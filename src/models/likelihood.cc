#include "models/likelihood.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sda {
namespace {

constexpr double kRootHalf = 0.70710678118654752440;
constexpr double kRootTwoOverPi = 0.79788456080286535588;
constexpr double kLogisticVariance = 3.28986813369645287294;  // pi^2 / 3

double Phi(double z) { return 0.5 * std::erfc(-z * kRootHalf); }

// phi(z) / Phi(z) and that plus z, which is about 1 / |z| in the lower tail.
struct Mills {
  double ratio;
  double ratio_plus_z;
};

Mills MillsOf(double z) {
  if (z > -30) {
    const double ratio = kRootTwoOverPi * std::exp(-0.5 * z * z) / std::erfc(-z * kRootHalf);
    return {ratio, ratio + z};
  }
  // Phi(z) = phi(z) / |z| * (1 - small), by its asymptotic series.
  const double q = 1 / (z * z);
  const double small = q * (1 - q * (3 - q * (15 - q * 105)));
  return {-z / (1 - small), -z * small / (1 - small)};
}

// log Phi(z).
double LogPhi(double z) {
  if (z > -30) return std::log(Phi(z));
  const double q = 1 / (z * z);
  const double small = q * (1 - q * (3 - q * (15 - q * 105)));
  return -0.5 * z * z - std::log(-z) + std::log1p(-small) + std::log(0.5 * kRootTwoOverPi);
}

// Z = Phi(z), z = m / sqrt(noise + v).
Slopes ProbitSlopes(double m, double v, double noise) {
  const double total = noise + v;
  const double z = m / std::sqrt(total);
  const Mills mills = MillsOf(z);
  return {mills.ratio / std::sqrt(total), mills.ratio * mills.ratio_plus_z / total};
}

// 1 / (1 + e^-f).
double Logistic(double f) { return 1 / (1 + std::exp(-f)); }

// Sums over the nodes of the trapezoidal rule: of weight * s, weight * s (1 - s) and
// weight * s (1 - s)^2, with s = Logistic(f).
struct LogisticSums {
  double s0 = 0;
  double s1 = 0;
  double s2 = 0;
  void Add(double weight, double s, double not_s) {
    const double a = weight * s;
    s0 += a;
    s1 += a * not_s;
    s2 += a * not_s * not_s;
  }
  // d log Z = E[1 - s] and -d^2 log Z = E[s (1 - s)] - Var[1 - s] under the tilted distribution.
  Slopes ToSlopes() const {
    const double first = s1 / s0;
    const double second = first - s2 / s0 - (s2 / s0 - first * first);
    return {first, std::max(0.0, second)};
  }
};

constexpr double kStep = 0.75;  // in standard deviations, for narrow Gaussians
constexpr int kNodes = 12;      // on each side
constexpr double kWidestFixed = 0.6;

const std::array<double, 2 * kNodes + 1>& FixedWeights() {
  static const auto weights = [] {
    std::array<double, 2 * kNodes + 1> w;
    for (int k = -kNodes; k <= kNodes; ++k) w[k + kNodes] = std::exp(-0.5 * k * k * kStep * kStep);
    return w;
  }();
  return weights;
}

// log Logistic(f).
double LogLogistic(double f) { return std::min(f, 0.0) - std::log1p(std::exp(-std::abs(f))); }

// Far below 0 the tilted density is e^f times the Gaussian, so its mode is up to min(v, -m) above
// m; it falls off at least as fast as the Gaussian does. Weights relative to the mode neither over-
// nor underflow.
double ModeOf(double m, double v) { return m < 0 ? std::min(m + v, 0.0) : m; }

Slopes LogisticSlopes(double m, double v) {
  const double sd = std::sqrt(v);
  if (sd > 1000) return ProbitSlopes(m, v, kLogisticVariance);
  LogisticSums sums;
  if (sd <= kWidestFixed) {
    const auto& weights = FixedWeights();
    for (int k = -kNodes; k <= kNodes; ++k) {
      // e^f / (1 + e^f) keeps its digits when f is far below 0; scaled by e^-m it never underflows.
      const double f = m + k * kStep * sd;
      const double e = std::exp(-std::abs(f));
      const double not_s = (f > 0 ? e : 1) / (1 + e);
      const double s = m > -500 ? (f > 0 ? 1 : e) / (1 + e) : std::exp(k * kStep * sd);
      sums.Add(weights[k + kNodes], s, not_s);
    }
    return sums.ToSlopes();
  }
  const double mode = ModeOf(m, v);
  auto log_density = [&](double f) { return LogLogistic(f) - 0.5 * (f - m) / v * (f - m); };
  const double at_mode = log_density(mode);
  const double step = std::min(0.5, kStep * sd);
  const int nodes = static_cast<int>(9 * sd / step) + 1;
  for (int k = -nodes; k <= nodes; ++k) {
    const double f = mode + k * step;
    sums.Add(std::exp(log_density(f) - at_mode), 1, Logistic(-f));
  }
  return sums.ToSlopes();
}

// log E[Logistic(f)], by the trapezoidal rule about the mode of what is integrated.
double LogLogisticMean(double m, double v) {
  const double sd = std::sqrt(v);
  if (sd > 1000) return LogPhi(m / std::sqrt(kLogisticVariance + v));
  if (!(sd > 1e-8)) return LogLogistic(m);
  const double mode = ModeOf(m, v);
  auto log_density = [&](double f) { return LogLogistic(f) - 0.5 * (f - m) / v * (f - m); };
  const double at_mode = log_density(mode);
  const double step = std::min(0.5, 0.5 * sd);
  const int nodes = static_cast<int>(9 * sd / step) + 1;
  double sum = 0;
  for (int k = -nodes; k <= nodes; ++k) sum += std::exp(log_density(mode + k * step) - at_mode);
  return std::min(0.0, at_mode + std::log(sum * step / sd * 0.5 * kRootTwoOverPi));
}

}  // namespace

double InverseMills(double z) { return MillsOf(z).ratio; }

double LinkValue(Link link, double f) { return link == Link::kProbit ? Phi(f) : Logistic(f); }

Slopes SlopesOf(Link link, double m, double v) {
  return link == Link::kProbit ? ProbitSlopes(m, v, 1) : LogisticSlopes(m, v);
}

double LogMeanOf(Link link, double m, double v) {
  return link == Link::kProbit ? LogPhi(m / std::sqrt(1 + v)) : LogLogisticMean(m, v);
}

ProbabilityMoments MomentsOf(Link link, double m, double v) {
  const double noise = link == Link::kProbit ? 1 : kLogisticVariance;
  const double closed = Phi(m / std::sqrt(noise + v));
  const double sd = std::sqrt(v);
  if (sd > 1000) return {closed, std::sqrt(closed * (1 - closed))};  // f decides: 0 or 1
  const double step = std::min(0.5, 0.5 / sd);
  const int nodes = static_cast<int>(8.5 / step) + 1;
  double weights = 0;
  double first = 0;
  for (int k = -nodes; k <= nodes; ++k) {
    const double t = k * step;
    const double weight = std::exp(-0.5 * t * t);
    weights += weight;
    first += weight * LinkValue(link, m + sd * t);
  }
  const double mean = link == Link::kProbit ? closed : first / weights;
  double second = 0;
  for (int k = -nodes; k <= nodes; ++k) {
    const double t = k * step;
    const double difference = LinkValue(link, m + sd * t) - mean;
    second += std::exp(-0.5 * t * t) * difference * difference;
  }
  return {mean, std::sqrt(second / weights)};
}

}  // namespace sda
