// What is known of a minibatch beside its posterior: how well the prior predicted it, and how long
// it took.

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <vector>

#include "tests/core/test_primitives.h"

namespace sda {
namespace {

// A store that keeps what it was given.
class KeepingStore : public MemoryStore<Dense> {
 public:
  using MemoryStore<Dense>::MemoryStore;
  AddResult Add(const Delta<Dense>& delta) override {
    std::lock_guard lock(mutex_);
    deltas.push_back(delta);
    return MemoryStore<Dense>::Add(delta);
  }
  std::vector<Delta<Dense>> deltas;

 private:
  std::mutex mutex_;
};

// Takes a millisecond.
const FunctionPrimitive<Numbers, Dense> kSlow([](const Numbers& data, const Dense& prior) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  while (std::chrono::steady_clock::now() < end) {
  }
  return AddUp(data, prior);
});

// The items in the prior as the logarithm.
Prediction ItemsBefore(const Minibatch<Numbers>& minibatch, const Dense& prior) {
  return {-prior[1], minibatch.data.size()};
}

TEST(Scorer, SeesEachMinibatchWithItsPriorAndGoesIntoDeltaAndSummary) {
  MemorySource<Numbers> source({{1, 1}, {1}, {1, 1, 1}});
  KeepingStore store(Dense{0, 0});
  std::vector<double> last;
  const Summary summary = sda::Run<Numbers, Dense>(
      source, kSlow, store, {},
      [&](const Summary& s) {
        if (!s.finished) last.push_back(s.last_prediction.log_sum);
      },
      Context(1), ItemsBefore);
  EXPECT_EQ(last, (std::vector<double>{0, -2, -3}));
  EXPECT_EQ(summary.prediction.log_sum, -5);
  EXPECT_EQ(summary.prediction.tested, 6u);
  EXPECT_EQ(summary.last_prediction.tested, 3u);
  ASSERT_EQ(store.deltas.size(), 3u);
  EXPECT_EQ(store.deltas[1].prediction.log_sum, -2);
  EXPECT_EQ(store.deltas[1].prediction.tested, 1u);
  EXPECT_EQ(store.deltas[2].counts, (Counts{.items = 3}));
}

TEST(Scorer, OfEveryScheduleScoresEveryMinibatchOnce) {
  for (const Schedule schedule :
       {Schedule::kSerial, Schedule::kSynchronous, Schedule::kAsynchronous}) {
    MemorySource<Numbers> source(Counting(20));
    MemoryStore<Dense> store(Dense{0, 0});
    const Summary summary = sda::Run<Numbers, Dense>(
        source, kSlow, store, MakeOptions(schedule, schedule == Schedule::kSerial ? 1 : 3), {},
        Context(2), ItemsBefore);
    EXPECT_EQ(summary.prediction.tested, 20u);
  }
}

TEST(Scorer, ThatThrowsEndsTheRunAndNamesTheMinibatch) {
  MemorySource<Numbers> source(Counting(3));
  MemoryStore<Dense> store(Dense{0, 0});
  const Scorer<Numbers, Dense> scorer = [](const Minibatch<Numbers>& minibatch, const Dense&) {
    if (minibatch.id == 1) throw std::runtime_error("no score");
    return Prediction();
  };
  try {
    sda::Run(source, kSlow, store, {}, {}, Context(1), scorer);
    FAIL() << "nothing was thrown";
  } catch (const RunError& e) {
    EXPECT_STREQ(e.what(), "no score (in minibatch 1)");
  }
}

TEST(Run, WithoutAScorerTestsNothing) {
  MemorySource<Numbers> source(Counting(3));
  MemoryStore<Dense> store(Dense{0, 0});
  EXPECT_EQ(sda::Run(source, kSlow, store).prediction.tested, 0u);
}

TEST(Run, TheTimeOfThePrimitiveIsInDeltaAndSummary) {
  MemorySource<Numbers> source(Counting(5));
  KeepingStore store(Dense{0, 0});
  double before = 0;
  const Summary summary = sda::Run(source, kSlow, store, {}, [&](const Summary& s) {
    if (s.finished) return;
    EXPECT_GE(s.computing_seconds, before + 1e-3);
    before = s.computing_seconds;
  });
  double sum = 0;
  for (const Delta<Dense>& delta : store.deltas) {
    EXPECT_GE(delta.seconds, 1e-3);
    sum += delta.seconds;
  }
  EXPECT_DOUBLE_EQ(summary.computing_seconds, sum);
  EXPECT_LE(summary.computing_seconds, summary.seconds);
}

}  // namespace
}  // namespace sda
