// The one-dimensional integrals of the classifiers, against brute-force integration with a step so
// small and a range so wide that nothing is left to doubt.

#include "models/likelihood.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sda {
namespace {

// log of the link, in long double, with its digits in the lower tail.
long double LogLink(Link link, long double f) {
  if (link == Link::kLogistic) return -std::log1p(std::exp(-f));
  if (f > -20) return std::log(0.5L * std::erfc(-f / std::sqrt(2.0L)));
  // The continued fraction of the Mills ratio.
  long double fraction = -f;
  for (int k = 200; k >= 1; --k) fraction = -f + k / fraction;
  return -0.5L * f * f - 0.5L * std::log(2 * std::acos(-1.0L)) - std::log(fraction);
}

struct Tilted {
  long double mean;
  long double variance;
};

// Moments of Normal(m, v) times the link.
Tilted BruteForce(Link link, long double m, long double v) {
  const long double sd = std::sqrt(v);
  // Where the product has its mode, nearly.
  long double mode = m;
  if (m < 0) mode = link == Link::kProbit ? m / (1 + v) : std::min(m + v, 0.0L);
  const long double low = (link == Link::kProbit ? mode : m) - 12 * sd;
  const long double high = mode + 12 * sd;
  auto log_density = [&](long double f) { return LogLink(link, f) - (f - m) * (f - m) / (2 * v); };
  const int n = static_cast<int>(std::max(400.0L, (high - low) / 0.1L));
  long double most = -INFINITY;
  for (int i = 0; i <= n; ++i) most = std::max(most, log_density(low + (high - low) * i / n));
  long double s0 = 0;
  long double s1 = 0;
  for (int i = 0; i <= n; ++i) {
    const long double f = low + (high - low) * i / n;
    const long double weight = std::exp(log_density(f) - most);
    s0 += weight;
    s1 += weight * (f - m);
  }
  const long double shift = s1 / s0;
  long double s2 = 0;
  for (int i = 0; i <= n; ++i) {
    const long double f = low + (high - low) * i / n;
    s2 += std::exp(log_density(f) - most) * (f - m - shift) * (f - m - shift);
  }
  return {m + shift, s2 / s0};
}

TEST(Likelihood, SlopesGiveTheMomentsOfTheTiltedDistribution) {
  for (const Link link : {Link::kProbit, Link::kLogistic}) {
    for (const double sd : {1e-3, 0.1, 0.5, 0.79, 0.81, 1.5, 4.0, 20.0, 100.0}) {
      for (const double m : {-600.0, -40.0, -31.0, -29.0, -5.0, -0.7, 0.0, 0.3, 4.0, 30.0}) {
        const double v = sd * sd;
        const Slopes slopes = SlopesOf(link, m, v);
        const Tilted expected = BruteForce(link, m, v);
        // In units of the standard deviation, and as a share of the variance.
        EXPECT_NEAR(sd * slopes.first, static_cast<double>((expected.mean - m) / sd),
                    1e-10 * std::max(1.0, std::abs(m) / sd))
            << m << " " << sd;
        EXPECT_NEAR(1 - v * slopes.second, static_cast<double>(expected.variance / v), 1e-9)
            << m << " " << sd;
        EXPECT_GE(slopes.second, 0);
        EXPECT_LT(v * slopes.second, 1);
      }
    }
  }
}

// A wrong second slope of the order of v^2 would hide in the share above when v is small.
TEST(Likelihood, SlopesOfANarrowGaussianAreThoseOfTheLink) {
  const double v = 1e-12;
  for (const double f : {-8.0, -1.0, 0.0, 2.0}) {
    const double p = 1 / (1 + std::exp(-f));
    EXPECT_NEAR(SlopesOf(Link::kLogistic, f, v).first, 1 - p, 1e-11);
    EXPECT_NEAR(SlopesOf(Link::kLogistic, f, v).second, p * (1 - p), 1e-11);
    const double ratio = std::exp(-f * f / 2) / std::sqrt(2 * std::acos(-1.0)) /
                         (0.5 * std::erfc(-f / std::sqrt(2.0)));
    EXPECT_NEAR(SlopesOf(Link::kProbit, f, v).first, ratio, 1e-11);
    EXPECT_NEAR(SlopesOf(Link::kProbit, f, v).second, ratio * (ratio + f), 1e-10);
  }
}

TEST(Likelihood, ProbabilitiesAreTheIntegralOfTheLink) {
  for (const Link link : {Link::kProbit, Link::kLogistic}) {
    for (const double sd : {1e-3, 0.3, 0.9, 3.0, 40.0, 900.0}) {
      for (const double m : {-30.0, -3.0, 0.0, 0.5, 8.0}) {
        const int kNodes = static_cast<int>(1000 + 200 * sd);
        long double weights = 0;
        long double first = 0;
        long double second = 0;
        for (int i = 0; i <= kNodes; ++i) {
          const long double t = -10 + 20.0L * i / kNodes;
          const long double weight = std::exp(-t * t / 2);
          const double p = LinkValue(link, static_cast<double>(m + sd * t));
          weights += weight;
          first += weight * p;
          second += weight * p * p;
        }
        const auto mean = static_cast<double>(first / weights);
        const ProbabilityMoments moments = MomentsOf(link, m, sd * sd);
        EXPECT_NEAR(moments.mean, mean, 1e-8) << m << " " << sd;
        EXPECT_NEAR(moments.sd,
                    std::sqrt(std::max(0.0, static_cast<double>(second / weights) - mean * mean)),
                    1e-6)
            << m << " " << sd;
      }
    }
  }
}

// log of the integral of the link over Normal(m, v).
long double LogIntegral(Link link, long double m, long double v) {
  const long double sd = std::sqrt(v);
  long double mode = m;  // nearly
  if (m < 0) mode = link == Link::kProbit ? m / (1 + v) : std::min(m + v, 0.0L);
  const long double low = m - 14 * sd;
  const long double step = (mode + 14 * sd - low) / 20'000;
  std::vector<long double> logs;
  for (int i = 0; i <= 20'000; ++i) {
    const long double f = low + i * step;
    logs.push_back(LogLink(link, f) - (f - m) * (f - m) / (2 * v));
  }
  const long double most = *std::max_element(logs.begin(), logs.end());
  long double sum = 0;
  for (const long double log : logs) sum += std::exp(log - most);
  return most + std::log(sum * step / sd) - 0.5L * std::log(2 * std::acos(-1.0L));
}

TEST(Likelihood, LogsOfProbabilitiesKeepTheirDigitsInTheTails) {
  for (const Link link : {Link::kProbit, Link::kLogistic}) {
    for (const double sd : {1e-3, 0.5, 3.0, 30.0, 300.0}) {
      for (const double m : {-600.0, -40.0, -8.5, -0.7, 0.0, 2.0, 12.0}) {
        const double log = LogMeanOf(link, m, sd * sd);
        const auto expected = static_cast<double>(LogIntegral(link, m, sd * sd));
        EXPECT_NEAR(log, expected, 1e-9 * std::max(1.0, std::abs(expected))) << m << " " << sd;
        EXPECT_LE(log, 0);
      }
    }
    for (const double m : {-1e60, -1e6}) {
      for (const double v : {0.0, 1e-6, 1.0, 1e5, 1e100}) {
        EXPECT_TRUE(std::isfinite(LogMeanOf(link, m, v))) << m << " " << v;
      }
    }
  }
}

TEST(Likelihood, EnormousScoresGiveFiniteSlopes) {
  for (const Link link : {Link::kProbit, Link::kLogistic}) {
    for (const double m : {-1e60, -1e6, 1e6, 1e60}) {
      for (const double v : {1e-6, 1.0, 1e5, 1e100}) {
        const Slopes slopes = SlopesOf(link, m, v);
        EXPECT_TRUE(std::isfinite(slopes.first)) << m << " " << v;
        EXPECT_TRUE(slopes.second >= 0 && v * slopes.second <= 1) << m << " " << v;
      }
    }
  }
}

}  // namespace
}  // namespace sda
