// Asynchronous: workers take the next minibatch as soon as they are done with one, and nobody waits
// for the slowest. Two forms: deltas against the latest posterior, or against the fixed prior.

#include <chrono>
#include <cstdio>
#include <random>
#include <thread>

#include "sda/sda.h"

int main() {
  std::mt19937_64 random(3);
  std::poisson_distribution<int> count(4.2);
  sda::Table events{1, {}};
  for (int i = 0; i < 20000; ++i) events.values.push_back(count(random));
  const sda::Poisson poisson({"events"});

  // Some minibatches take far longer than others.
  const sda::FunctionPrimitive<sda::Table, sda::Dense> uneven(
      [&](const sda::Table& data, const sda::Dense& prior) {
        std::this_thread::sleep_for(std::chrono::microseconds(data.values[0] > 6 ? 2000 : 100));
        return poisson(data, prior, 0);
      });

  for (const auto form : {sda::WorkerPrior::kLatestPosterior, sda::WorkerPrior::kFixedPrior}) {
    sda::MemorySource<sda::Table> source(sda::Split(events, 100));
    sda::MemoryStore<sda::Dense> store(poisson.Prior());
    const sda::Summary summary =
        sda::Run(source, uneven, store,
                 {.schedule = sda::Schedule::kAsynchronous, .workers = 4, .worker_prior = form});
    const sda::Estimate rate = poisson.Describe(store.Read().params)[0];
    std::printf("rate %.3f [%.3f, %.3f] after %d rows; staleness %.1f mean, %d max\n", rate.mean,
                rate.lower, rate.upper, static_cast<int>(summary.counts.items),
                summary.staleness_mean(), static_cast<int>(summary.staleness_max));
    // The posterior counts every row once, in either form.
    if (store.Read().params[1] != 20000) return 1;
  }
  return 0;
}
