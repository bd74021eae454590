#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/core/test_primitives.h"

namespace sda {
namespace {

const FunctionPrimitive<Numbers, Dense> kAddUp(AddUp);
const FunctionPrimitive<Numbers, Dense> kSaturate(Saturate);

TEST(Serial, UsesEachPosteriorAsTheNextPrior) {
  MemorySource<Numbers> source(Counting(10));
  MemoryStore<Dense> store(Dense{1, 0});
  sda::Run(source, kSaturate, store);
  Dense expected{1, 0};
  for (const Numbers& data : Counting(10)) expected = Saturate(data, expected);
  EXPECT_LT(MaxRelativeDifference(store.Read().params, expected), 1e-14);
}

TEST(Synchronous, AllWorkersOfARoundStartFromTheSamePosterior) {
  MemorySource<Numbers> source(Counting(10));  // rounds of 3, 3, 3 and 1
  MemoryStore<Dense> store(Dense{1, 0});
  sda::Run(source, kSaturate, store, MakeOptions(Schedule::kSynchronous, 3));
  Dense expected{1, 0};
  const auto minibatches = Counting(10);
  for (size_t first = 0; first < 10; first += 3) {
    const Dense prior = expected;
    for (size_t i = first; i < std::min<size_t>(10, first + 3); ++i) {
      Dense delta = Saturate(minibatches[i], prior);
      delta -= prior;
      expected += delta;
    }
  }
  EXPECT_EQ(store.Read().params, expected);
}

TEST(Synchronous, TheResultDoesNotDependOnTiming) {
  auto run = [](bool slow_first) {
    const FunctionPrimitive<Numbers, Dense> primitive([=](const Numbers& data, const Dense& prior) {
      const bool odd = static_cast<int>(data[0]) % 2 == 1;
      if (odd == slow_first) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      return Saturate(data, prior);
    });
    MemorySource<Numbers> source(Counting(20));
    MemoryStore<Dense> store(Dense{1, 0});
    sda::Run(source, primitive, store, MakeOptions(Schedule::kSynchronous, 4), {}, Context(4));
    return store.Read().params;
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(Asynchronous, TheFixedPriorFormGivesEveryWorkerThePrior) {
  const FunctionPrimitive<Numbers, Dense> primitive([](const Numbers& data, const Dense& prior) {
    EXPECT_EQ(prior, (Dense{5, 0}));
    return AddUp(data, prior);
  });
  MemorySource<Numbers> source(Counting(100));
  MemoryStore<Dense> store(Dense{5, 0});
  RunOptions options = MakeOptions(Schedule::kAsynchronous, 3);
  options.worker_prior = WorkerPrior::kFixedPrior;
  sda::Run(source, primitive, store, options);
  EXPECT_EQ(store.Read().params, (Dense{5 + 5050, 100}));
}

TEST(Asynchronous, TheLatestPosteriorFormGivesWorkersWhatWasFolded) {
  std::atomic<bool> saw_more_than_prior = false;
  const FunctionPrimitive<Numbers, Dense> primitive([&](const Numbers& data, const Dense& prior) {
    if (prior[1] > 0) saw_more_than_prior = true;
    return AddUp(data, prior);
  });
  MemorySource<Numbers> source(Counting(100));
  MemoryStore<Dense> store(Dense{0, 0});
  sda::Run(source, primitive, store, MakeOptions(Schedule::kAsynchronous, 3));
  EXPECT_TRUE(saw_more_than_prior);
  EXPECT_EQ(store.Read().params, (Dense{5050, 100}));
}

TEST(Asynchronous, StalenessIsMeasured) {
  // Minibatch 0 waits until all others are folded.
  std::atomic<uint64_t> folded = 0;
  const FunctionPrimitive<Numbers, Dense> primitive([&](const Numbers& data, const Dense& prior) {
    if (data[0] == 1) {
      while (folded < 9) std::this_thread::yield();
    }
    return AddUp(data, prior);
  });
  MemorySource<Numbers> source(Counting(10));
  MemoryStore<Dense> store(Dense{0, 0});
  const Summary summary =
      sda::Run(source, primitive, store, MakeOptions(Schedule::kAsynchronous, 2),
               [&](const Summary& s) { folded = s.minibatches; });
  EXPECT_EQ(summary.staleness_max, 9u);
  EXPECT_EQ(summary.staleness_last, 9u);
  EXPECT_GE(summary.staleness_mean(), 0.9);
}

TEST(Run, TheFirstMinibatchesGoOneByOneIfAsked) {
  for (const Schedule schedule : {Schedule::kSynchronous, Schedule::kAsynchronous}) {
    for (const int serial_first : {0, 1, 3}) {
      std::atomic<int> from_few = 0;  // minibatches whose prior holds less than what goes first
      const FunctionPrimitive<Numbers, Dense> primitive(
          [&](const Numbers& data, const Dense& prior) {
            if (prior[1] < serial_first) ++from_few;
            return AddUp(data, prior);
          });
      MemorySource<Numbers> source(Counting(40));
      MemoryStore<Dense> store(Dense{0, 0});
      RunOptions options = MakeOptions(schedule, 4);
      options.serial_first = serial_first;
      EXPECT_EQ(sda::Run(source, primitive, store, options).minibatches, 40u);
      EXPECT_EQ(from_few, serial_first);
    }
  }
}

TEST(Asynchronous, OneWorkerFromTheFixedPriorIsNeverStale) {
  MemorySource<Numbers> source(Counting(100));
  MemoryStore<Dense> store(Dense{0, 0});
  RunOptions options = MakeOptions(Schedule::kAsynchronous, 1);
  options.worker_prior = WorkerPrior::kFixedPrior;
  EXPECT_EQ(sda::Run(source, kAddUp, store, options).staleness_max, 0u);
}

TEST(Asynchronous, AFastSourceWaitsForTheWorkers) {
  std::atomic<int64_t> read = 0;
  std::atomic<int64_t> worked = 0;
  std::atomic<int64_t> most_ahead = 0;
  FunctionSource source([&](uint64_t id) -> std::optional<Numbers> {
    most_ahead = std::max(most_ahead.load(), read - worked);
    if (id == 200) return std::nullopt;
    ++read;
    return Numbers{1};
  });
  const FunctionPrimitive<Numbers, Dense> primitive([&](const Numbers& data, const Dense& prior) {
    // The queue fills up while the workers wait for that, for at most a minute.
    for (int i = 0; i < 60'000 && read < 5; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    Dense posterior = AddUp(data, prior);
    ++worked;
    return posterior;
  });
  MemoryStore<Dense> store(Dense{0, 0});
  RunOptions options = MakeOptions(Schedule::kAsynchronous, 2);
  options.queue_capacity = 3;
  sda::Run(source, primitive, store, options);
  EXPECT_EQ(store.Read().params[1], 200);
  // 3 in the queue, 2 with the workers, 1 in the hand of the source.
  EXPECT_LE(most_ahead, 6);
  EXPECT_GE(most_ahead, 3) << "the queue should fill up";
}

TEST(Run, AStopRequestFinishesTheMinibatchesInHand) {
  for (const Schedule schedule :
       {Schedule::kSerial, Schedule::kSynchronous, Schedule::kAsynchronous}) {
    const Context context;
    std::atomic<uint64_t> started = 0;
    FunctionSource endless([](uint64_t) -> std::optional<Numbers> { return Numbers{1}; });
    const FunctionPrimitive<Numbers, Dense> primitive([&](const Numbers& data, const Dense& prior) {
      if (++started >= 10) context.RequestStop();
      return AddUp(data, prior);
    });
    MemoryStore<Dense> store(Dense{0, 0});
    const RunOptions options = MakeOptions(schedule, schedule == Schedule::kSerial ? 1 : 4);
    const Summary summary = sda::Run(endless, primitive, store, options, {}, context);
    EXPECT_TRUE(summary.stopped);
    EXPECT_TRUE(summary.finished);
    EXPECT_EQ(summary.minibatches, started) << "what was started was folded";
    EXPECT_EQ(store.Read().params[1], static_cast<double>(started));
    EXPECT_LE(started, 20u);
  }
}

TEST(Run, AStopRequestedAfterTheWholeStreamIsNoEarlyStop) {
  const Context context;
  FunctionSource source([&](uint64_t id) -> std::optional<Numbers> {
    if (id < 3) return Numbers{1};
    context.RequestStop();
    return std::nullopt;
  });
  MemoryStore<Dense> store(Dense{0, 0});
  EXPECT_FALSE(sda::Run(source, kAddUp, store, {}, {}, context).stopped);
}

TEST(Run, AResumedSourceGivesTheRestOfTheStream) {
  MemorySource<Numbers> source(Counting(10));
  MemoryStore<Dense> store(Dense{0, 0});
  std::string position;
  for (int i = 0; i < 4; ++i) position = source.Next()->position;
  MemorySource<Numbers> again(Counting(10));
  again.Resume(position, {});
  sda::Run(again, kAddUp, store);
  EXPECT_EQ(store.Read().params, (Dense{5 + 6 + 7 + 8 + 9 + 10, 6}));
  EXPECT_FALSE(store.Read().folded.Contains(3));
  EXPECT_TRUE(store.Read().folded.Contains(4));
}

TEST(Run, MinibatchesThatAreInThePosteriorAlreadyAreCountedAsDuplicates) {
  MemoryStore<Dense> store(Dense{0, 0});
  for (int pass = 0; pass < 2; ++pass) {
    MemorySource<Numbers> source(Counting(10));
    const Summary summary = sda::Run(source, kAddUp, store);
    EXPECT_EQ(summary.duplicates, pass == 0 ? 0u : 10u);
  }
  EXPECT_EQ(store.Read().params, (Dense{55, 10}));
}

TEST(RunOptions, BadOptionsAreNamed) {
  auto message = [](RunOptions options) -> std::string {
    try {
      options.Validate();
      return "";
    } catch (const UsageError& e) {
      return e.what();
    }
  };
  EXPECT_EQ(message({.workers = 0}), "workers is 0, must be at least 1");
  EXPECT_EQ(message({.schedule = Schedule::kAsynchronous, .workers = 1000000}),
            "workers is 1000000, must be at most 1024 where each is a thread");
  EXPECT_EQ(message({.schedule = Schedule::kAsynchronous, .workers = 1024}), "");
  EXPECT_EQ(message({.queue_capacity = -2}), "queue_capacity is -2, must be at least 0");
  EXPECT_EQ(message({.workers = 2}), "workers is 2, but the serial schedule has one");
  try {
    const Context context(-1);
    FAIL() << "nothing was thrown";
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(), "threads is -1, must be at least 0");
  }
}

TEST(Asynchronous, AStopThatDropsMinibatchesOfAnEndedStreamIsAStop) {
  // The only worker requests it when the source has ended and the others wait in the queue.
  const Context context(1);
  std::atomic<bool> ended = false;
  FunctionSource source([&](uint64_t id) -> std::optional<Numbers> {
    if (id < 5) return Numbers{1};
    ended = true;
    return std::nullopt;
  });
  const FunctionPrimitive<Numbers, Dense> primitive([&](const Numbers& data, const Dense& prior) {
    while (!ended) std::this_thread::yield();
    context.RequestStop();
    return AddUp(data, prior);
  });
  MemoryStore<Dense> store(Dense{0, 0});
  RunOptions options = MakeOptions(Schedule::kAsynchronous, 1);
  options.queue_capacity = 10;
  const Summary summary = sda::Run(source, primitive, store, options, {}, context);
  EXPECT_EQ(summary.minibatches, 1u);
  EXPECT_TRUE(summary.stopped);
}

TEST(Run, ThePrimitiveIsGivenTheMinibatchsIdAsTheKeyOfItsRandomNumbers) {
  std::vector<uint64_t> keys;
  const FunctionPrimitive<Numbers, Dense> primitive(
      [&](const Numbers& data, const Dense& prior, uint64_t key) {
        keys.push_back(key);
        return AddUp(data, prior);
      });
  MemorySource<Numbers> source(Counting(4));
  MemoryStore<Dense> store(Dense{0, 0});
  sda::Run(source, primitive, store);
  EXPECT_EQ(keys, (std::vector<uint64_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace sda
