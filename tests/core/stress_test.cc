// Asynchronous workers under random delays and random failures. The thread sanitizer runs this too.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <stdexcept>
#include <thread>

#include "tests/core/test_primitives.h"

namespace sda {
namespace {

// A number that looks random but depends on its arguments alone.
uint64_t Mix(uint64_t a, uint64_t b) { return std::mt19937_64(a * 1000003 + b)(); }

TEST(Stress, EightAsynchronousWorkersWithRandomDelaysAndFailuresLoseAndDoubleNothing) {
  int failed_runs = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    constexpr uint64_t kMinibatches = 300;
    const Context context;
    FunctionSource source([&](uint64_t id) -> std::optional<Numbers> {
      if (id == kMinibatches) return std::nullopt;
      if (seed % 5 == 1 && Mix(seed, id) % 400 == 0) throw std::runtime_error("source");
      if (seed % 5 == 2 && id == 200) context.RequestStop();
      return Numbers{static_cast<double>(id)};
    });
    const FunctionPrimitive<Numbers, Dense> primitive([&](const Numbers& data, const Dense& prior) {
      const uint64_t luck = Mix(seed + 1000, static_cast<uint64_t>(data[0]));
      if (luck % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(luck % 200));
      if (seed % 5 == 3 && luck % 400 == 0) throw std::runtime_error("primitive");
      return AddUp(data, prior);
    });
    MemoryStore<Dense> store(Dense{0, 0});
    RunOptions options = MakeOptions(Schedule::kAsynchronous, 8);
    options.worker_prior = seed % 2 ? WorkerPrior::kFixedPrior : WorkerPrior::kLatestPosterior;
    options.queue_capacity = seed % 3;
    bool failed = false;
    try {
      sda::Run(
          source, primitive, store, options, [&](const Summary&) { store.Read(); }, context);
    } catch (const RunError&) {
      failed = true;
      ++failed_runs;
    }
    const Snapshot<Dense> end = store.Read();
    double sum = 0;
    for (uint64_t id = 0; id < kMinibatches; ++id) {
      if (end.folded.Contains(id)) sum += static_cast<double>(id);
    }
    EXPECT_EQ(end.params, (Dense{sum, static_cast<double>(end.folded.size())}));
    if (!failed && !context.StopRequested()) {
      EXPECT_EQ(end.folded.size(), kMinibatches);
    }
  }
  EXPECT_GT(failed_runs, 5) << "the failures that this test is about did not happen";
}

TEST(Stress, SynchronousRoundsWithFailuresKeepWholeRounds) {
  int failed_runs = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const FunctionPrimitive<Numbers, Dense> primitive([&](const Numbers& data, const Dense& prior) {
      if (Mix(seed, static_cast<uint64_t>(data[0])) % 150 == 0) throw std::runtime_error("no");
      return AddUp(data, prior);
    });
    MemorySource<Numbers> source(Counting(200));
    MemoryStore<Dense> store(Dense{0, 0});
    try {
      sda::Run(source, primitive, store, MakeOptions(Schedule::kSynchronous, 8), {}, Context(8));
    } catch (const RunError&) {
      EXPECT_EQ(store.Read().folded.size() % 8, 0u);
      ++failed_runs;
    }
  }
  EXPECT_GT(failed_runs, 5) << "the failures that this test is about did not happen";
}

}  // namespace
}  // namespace sda
