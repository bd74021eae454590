#include "sda/clutter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sda/checker.h"

namespace sda {
namespace {

// Rows [begin, end) of a fixed stream: half of them around `location`, half clutter around 0.
Table Rows(uint64_t begin, uint64_t end, size_t columns, double location) {
  Table table{columns, {}};
  for (uint64_t i = begin; i < end; ++i) {
    std::mt19937_64 random(i + 1);
    random.discard(3);
    const bool clutter = std::bernoulli_distribution(0.5)(random);
    for (size_t c = 0; c < columns; ++c) {
      table.values.push_back(clutter ? std::normal_distribution<double>(0, std::sqrt(10.0))(random)
                                     : std::normal_distribution<double>(location, 1)(random));
    }
  }
  return table;
}

double Density(double x, double mean, double variance) {
  return std::exp(-(x - mean) * (x - mean) / (2 * variance)) / std::sqrt(variance);
}

struct Moments {
  double mean;
  double sd;
};

// By summation over a fine grid.
Moments Integrate(const Table& data) {
  constexpr double kStep = 1e-3;
  std::vector<double> logs;
  for (double at = -15; at <= 15; at += kStep) {
    double log_density = -at * at / 200;
    for (const double x : data.values) {
      log_density += std::log(0.5 * Density(x, at, 1) + 0.5 * Density(x, 0, 10));
    }
    logs.push_back(log_density);
  }
  const double most = *std::max_element(logs.begin(), logs.end());
  double s0 = 0;
  double s1 = 0;
  double s2 = 0;
  for (size_t i = 0; i < logs.size(); ++i) {
    const double at = -15 + kStep * static_cast<double>(i);
    const double weight = std::exp(logs[i] - most);
    s0 += weight;
    s1 += weight * at;
    s2 += weight * at * at;
  }
  return {s1 / s0, std::sqrt(s2 / s0 - s1 / s0 * s1 / s0)};
}

TEST(Clutter, EpIsCloseToNumericalIntegration) {
  for (const uint64_t rows : {20, 41, 200}) {
    const Table data = Rows(0, rows, 1, 2);
    const Clutter model(1);
    const Estimate e = model.Describe(model(data, model.Prior(), 0))[0];
    const Moments expected = Integrate(data);
    EXPECT_NEAR(e.mean, expected.mean, 0.03 * expected.sd) << rows;
    EXPECT_NEAR(e.sd / expected.sd, 1, 0.03) << rows;
  }
}

// One row: the projection is exact for any row.
TEST(Clutter, OneRowIsMatchedExactly) {
  for (const double x : {-3.0, 0.1, 2.0, 30.0}) {
    const Clutter model(1);
    const Table data{1, {x}};
    const Estimate e = model.Describe(model(data, {0, 0.25}, 0))[0];
    double s0 = 0;
    double s1 = 0;
    double s2 = 0;
    for (double at = -40; at <= 40; at += 1e-3) {
      const double weight = Density(at, 0, 4) * (0.5 * Density(x, at, 1) + 0.5 * Density(x, 0, 10));
      s0 += weight;
      s1 += weight * at;
      s2 += weight * at * at;
    }
    EXPECT_NEAR(e.mean, s1 / s0, 1e-9);
    EXPECT_NEAR(e.sd * e.sd, s2 / s0 - s1 / s0 * s1 / s0, 1e-9);
  }
}

TEST(Clutter, KeepsThePromisesOfTheFrameworkThatAnApproximationCan) {
  const Clutter model(2);
  Plugin<Table, Dense> plugin{model.Prior(), &model,
                              [](uint64_t begin, uint64_t end) { return Rows(begin, end, 2, 3); }};
  plugin.items = 400;
  EXPECT_THAT(CheckPlugin(plugin), ::testing::IsEmpty());
}

TEST(Clutter, BadOptionsAndImproperPriorsAreRefused) {
  EXPECT_THROW(Clutter(0), std::invalid_argument);
  EXPECT_THROW(Clutter(1, {.share = 1}), std::invalid_argument);
  EXPECT_THROW(Clutter(1, {.variance = -2}), std::invalid_argument);
  EXPECT_THROW(Clutter(1)(Table{1, {1}}, {0, -1}, 0), std::domain_error);
}

}  // namespace
}  // namespace sda
