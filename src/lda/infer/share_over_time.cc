#include "lda/infer/share_over_time.h"

#include <algorithm>
#include <cmath>

#include "models/estimates.h"

namespace sda {
namespace {

constexpr double kQuantile = 1.959964;  // 97.5% of a normal distribution

}  // namespace
OverTime::Sums::Share OverTime::Sums::ShareOf(size_t topic) const {
  if (tokens == 0) return {0, 0, 1};
  const auto all = static_cast<double>(tokens);
  const double mean = Tokens(topic) / all;
  double of_topics = 0;
  for (size_t r = 0; r < kShifts; ++r) {
    const double shift = shifts[topic * kShifts + r];
    of_topics += shift * shift / kShifts;
  }
  const double variance = (variances[topic] + of_topics) / (all * all);
  Share share{mean, mean, mean};
  // A Beta distribution with this mean and variance, if there is one.
  const double size = variance > 0 ? mean * (1 - mean) / variance - 1 : 0;
  if (size > 0) {
    const Estimate beta = BetaEstimate("", mean * size, (1 - mean) * size);
    share.lower = beta.lower;
    // If it may be that there is nothing, most of a Beta is so near 0 that it ends below its mean.
    const bool perhaps_none = mean * size < 1;
    share.upper =
        perhaps_none ? std::max(beta.upper, mean + kQuantile * std::sqrt(variance)) : beta.upper;
  }
  // Tokens are whole ones.
  share.lower = std::max(0.0, share.lower - 0.5 / all);
  share.upper = std::min(1.0, share.upper + 0.5 / all);
  return share;
}

namespace lda {

OverTime::Sums::Share ShareDifference(const OverTime::Sums& sums, const OverTime::Sums& others,
                                      size_t topic) {
  if (sums.tokens == 0 || others.tokens == 0) return {0, -1, 1};
  const auto a = static_cast<double>(sums.tokens);
  const auto b = static_cast<double>(others.tokens);
  double variance = (sums.variances[topic] / (a * a) + others.variances[topic] / (b * b));
  for (size_t r = 0; r < OverTime::kShifts; ++r) {
    const size_t at = topic * OverTime::kShifts + r;
    const double shift = sums.shifts[at] / a - others.shifts[at] / b;
    variance += shift * shift / OverTime::kShifts;
  }
  const double mean = sums.Tokens(topic) / a - others.Tokens(topic) / b;
  const double half = kQuantile * std::sqrt(variance) + 0.5 / a + 0.5 / b;
  return {mean, std::max(-1.0, mean - half), std::min(1.0, mean + half)};
}

}  // namespace lda
}  // namespace sda
