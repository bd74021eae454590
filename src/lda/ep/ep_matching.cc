#include "lda/ep/ep_matching.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <numeric>
#include <vector>

namespace sda::lda {

using boost::math::digamma;
using boost::math::trigamma;

void MatchProportions(std::span<const double> r, std::span<double> g) {
  const double sum = std::accumulate(g.begin(), g.end(), 0.0);
  double first = 0;   // sum of squared means
  double second = 0;  // sum of second moments
  for (size_t k = 0; k < g.size(); ++k) {
    second += (g[k] + 1) * (g[k] + 2 * r[k]);
    g[k] += r[k];
    first += g[k] * g[k];
  }
  first /= (sum + 1) * (sum + 1);
  second /= (sum + 1) * (sum + 2);
  const double variance = second - first;
  if (!(variance > 0)) return;  // one topic, or another one that rounding does not show
  const double scale = (1 - second) / variance / (sum + 1);
  for (double& x : g) x *= scale;
}

void MatchLog(std::span<const double> target, std::span<const double> words, std::span<double> x) {
  constexpr int kMostSteps = 200;
  constexpr double kPrecision = 1e-14;
  std::vector<double> gradient(x.size());
  std::vector<double> curvature(x.size());
  for (int step = 0; step < kMostSteps; ++step) {
    const double sum = std::inner_product(x.begin(), x.end(), words.begin(), 0.0);
    const double digamma_sum = digamma(sum);
    double ratio = 0;
    double inverse = 0;
    for (size_t u = 0; u < x.size(); ++u) {
      gradient[u] = digamma(x[u]) - digamma_sum - target[u];
      curvature[u] = trigamma(x[u]);
      ratio += words[u] * gradient[u] / curvature[u];
      inverse += words[u] / curvature[u];
    }
    // The Hessian is diagonal but for trigamma(sum), everywhere the same.
    const double common = ratio / (1 / trigamma(sum) - inverse);
    double change = 0;
    for (size_t u = 0; u < x.size(); ++u) {
      const double next = std::max(x[u] - (gradient[u] + common) / curvature[u], x[u] / 16);
      change = std::max(change, std::abs(next - x[u]) / next);
      x[u] = next;
    }
    if (change < kPrecision) break;
  }
}

void MatchProportionsLog(std::span<const double> r, std::span<double> g) {
  if (g.size() == 1) {
    g[0] += 1;
    return;
  }
  const double sum = std::accumulate(g.begin(), g.end(), 0.0);
  std::vector<double> target(g.size());
  for (size_t k = 0; k < g.size(); ++k) target[k] = digamma(g[k]) + r[k] / g[k] - digamma(sum + 1);
  MatchLog(target, std::vector<double>(g.size(), 1.0), g);
}

}  // namespace sda::lda
