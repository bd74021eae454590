// Distributed: rounds of four workers, whose deltas from one prior are added (paper eq. 5-7).
// With an exact primitive the result is the serial one, and it never depends on timing.

#include <cstdio>
#include <random>

#include "sda/sda.h"

int main() {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  sda::Table rows{3, {}};  // u, v, y
  for (int i = 0; i < 100000; ++i) {
    const double u = normal(random);
    const double v = normal(random);
    rows.values.insert(rows.values.end(), {u, v, 1 + 2 * u - 0.5 * v + normal(random)});
  }
  const sda::Linear regression({"u", "v"});

  auto fit = [&](const sda::RunOptions& options) {
    sda::MemorySource<sda::Table> source(sda::Split(rows, 1000));
    sda::MemoryStore<sda::Dense> store(regression.Prior());
    sda::Run(source, regression, store, options);
    return store.Read().params;
  };
  const sda::Dense serial = fit({});
  const sda::Dense parallel = fit({.schedule = sda::Schedule::kSynchronous, .workers = 4});

  for (const sda::Estimate& e : regression.Describe(parallel)) {
    std::printf("%-10s %8.4f  [%8.4f, %8.4f]\n", e.name.c_str(), e.mean, e.lower, e.upper);
  }
  const double difference = MaxRelativeDifference(serial, parallel);
  std::printf("largest relative difference from serial: %.1e\n", difference);
  return difference < 1e-10 ? 0 : 1;
}
