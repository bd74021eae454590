#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "tests/core/test_primitives.h"

namespace sda {
namespace {

using ::testing::HasSubstr;

class RunFailures : public ::testing::TestWithParam<Schedule> {
 protected:
  RunOptions Options() const {
    return MakeOptions(GetParam(), GetParam() == Schedule::kSerial ? 1 : 3);
  }
};

const FunctionPrimitive<Numbers, Dense> kAddUp(AddUp);

TEST_P(RunFailures, AnExceptionInThePrimitiveNamesTheMinibatchAndKeepsWhatWasFolded) {
  const Context context;
  const FunctionPrimitive<Numbers, Dense> primitive([&](const Numbers& data, const Dense& prior) {
    if (data[0] == 42) throw std::runtime_error("no such luck");
    // The worker that failed may not be running just now: the others wait until it has notified the
    // run, for at most a minute.
    for (int i = 0; data[0] > 60 && !context.StopRequested() && i < 60'000; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return AddUp(data, prior);
  });
  MemorySource<Numbers> source(Counting(1000));
  MemoryStore<Dense> store(Dense{0, 0});
  bool finished = false;
  try {
    sda::Run(
        source, primitive, store, Options(), [&](const Summary& s) { finished = s.finished; },
        context);
    FAIL() << "nothing was thrown";
  } catch (const RunError& e) {
    EXPECT_EQ(e.minibatch(), 41u);
    EXPECT_STREQ(e.what(), "no such luck (in minibatch 41)");
    EXPECT_EQ(e.summary().minibatches, store.Read().folded.size());
  }
  EXPECT_TRUE(finished);
  const Snapshot<Dense> kept = store.Read();
  EXPECT_FALSE(kept.folded.Contains(41));
  EXPECT_TRUE(kept.folded.Contains(0));
  EXPECT_LT(kept.folded.size(), 900u) << "the run went on";
  double sum = 0;
  for (uint64_t id = 0; id < 1000; ++id) sum += kept.folded.Contains(id) ? id + 1.0 : 0;
  EXPECT_EQ(kept.params, (Dense{sum, static_cast<double>(kept.folded.size())}));
}

TEST_P(RunFailures, AnExceptionInTheSourceNamesTheMinibatchAndFoldsWhatWasRead) {
  FunctionSource source([](uint64_t id) -> std::optional<Numbers> {
    if (id == 50) throw std::runtime_error("disk on fire");
    return Numbers{1};
  });
  MemoryStore<Dense> store(Dense{0, 0});
  try {
    sda::Run(source, kAddUp, store, Options());
    FAIL() << "nothing was thrown";
  } catch (const RunError& e) {
    EXPECT_EQ(e.minibatch(), 50u);
    EXPECT_STREQ(e.what(), "disk on fire (reading minibatch 50)");
  }
  EXPECT_EQ(store.Read().params, (Dense{50, 50}));
}

TEST_P(RunFailures, AMinibatchWithNoItemsIsRefused) {
  FunctionSource source(
      [](uint64_t id) -> std::optional<Numbers> { return id == 2 ? Numbers{} : Numbers{1}; });
  MemoryStore<Dense> store(Dense{0, 0});
  EXPECT_THROW(
      {
        try {
          sda::Run(source, kAddUp, store, Options());
        } catch (const RunError& e) {
          EXPECT_STREQ(e.what(), "no items (reading minibatch 2)");
          throw;
        }
      },
      RunError);
}

TEST_P(RunFailures, AnExceptionInTheObserverEndsTheRun) {
  MemorySource<Numbers> source(Counting(1000));
  MemoryStore<Dense> store(Dense{0, 0});
  EXPECT_THROW(sda::Run(source, kAddUp, store, Options(),
                        [](const Summary& s) {
                          if (!s.finished && s.minibatches >= 5)
                            throw std::runtime_error("seen enough");
                        }),
               RunError);
  EXPECT_LT(store.Read().folded.size(), 60u);
}

TEST_P(RunFailures, APosteriorOfTheWrongShapeNamesTheMinibatch) {
  const FunctionPrimitive<Numbers, Dense> primitive([](const Numbers&, const Dense&) {
    return Dense{1, 2, 3};
  });
  MemorySource<Numbers> source(Counting(10));
  MemoryStore<Dense> store(Dense{0, 0});
  try {
    sda::Run(source, primitive, store, Options());
    FAIL() << "nothing was thrown";
  } catch (const RunError& e) {
    EXPECT_THAT(e.what(), HasSubstr("sizes 3 and 2"));
  }
  EXPECT_EQ(store.Read().params, (Dense{0, 0}));
}

TEST_P(RunFailures, AnExceptionOfTheObserverAtTheEndDoesNotHideTheFirstFailure) {
  const FunctionPrimitive<Numbers, Dense> primitive([](const Numbers& data, const Dense& prior) {
    if (data[0] == 3) throw std::runtime_error("the cause");
    return AddUp(data, prior);
  });
  const Observer observer = [](const Summary& s) {
    if (s.finished) throw std::runtime_error("a consequence");
  };
  for (const bool fails : {true, false}) {
    MemorySource<Numbers> source(Counting(5));
    MemoryStore<Dense> store(Dense{0, 0});
    try {
      sda::Run(source, fails ? primitive : kAddUp, store, Options(), observer);
      FAIL() << "nothing was thrown";
    } catch (const RunError& e) {
      EXPECT_THAT(e.what(), HasSubstr(fails ? "the cause" : "a consequence"));
    }
  }
}

TEST(RunFailuresInRounds, ARoundInWhichAWorkerFailedIsDroppedWhole) {
  const FunctionPrimitive<Numbers, Dense> primitive([](const Numbers& data, const Dense& prior) {
    if (data[0] == 6) throw std::runtime_error("no");
    return AddUp(data, prior);
  });
  MemorySource<Numbers> source(Counting(100));
  MemoryStore<Dense> store(Dense{0, 0});
  EXPECT_THROW(sda::Run(source, primitive, store, MakeOptions(Schedule::kSynchronous, 4)),
               RunError);
  EXPECT_EQ(store.Read().params, (Dense{1 + 2 + 3 + 4, 4}));
}

std::string NameOf(const ::testing::TestParamInfo<Schedule>& schedule) {
  constexpr const char* kNames[] = {"Serial", "Synchronous", "Asynchronous"};
  return kNames[static_cast<size_t>(schedule.param)];
}

TEST(RunFailuresInWorkers, EndASourceThatWaitsForInput) {
  const Context context;
  FunctionSource source([&](uint64_t id) -> std::optional<Numbers> {
    if (id < 3) return Numbers{static_cast<double>(id)};
    constexpr int kTries = 6000;  // a minute; in vain unless the run says that it has failed
    for (int i = 0; i < kTries; ++i) {
      if (context.StopRequested()) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw std::runtime_error("waited in vain");
  });
  const FunctionPrimitive<Numbers, Dense> primitive([](const Numbers& data, const Dense& prior) {
    if (data[0] == 2) throw std::runtime_error("no such luck");
    return AddUp(data, prior);
  });
  bool waited_in_vain = false;
  MemoryStore<Dense> store(Dense{0, 0});
  const Observer observer = [&](const Summary& s) {
    waited_in_vain = s.finished && !context.StopRequested();
  };
  EXPECT_THROW(sda::Run(source, primitive, store, MakeOptions(Schedule::kAsynchronous, 2), observer,
                        context),
               RunError);
  EXPECT_FALSE(waited_in_vain);
}

INSTANTIATE_TEST_SUITE_P(AllSchedules, RunFailures,
                         ::testing::Values(Schedule::kSerial, Schedule::kSynchronous,
                                           Schedule::kAsynchronous),
                         NameOf);

}  // namespace
}  // namespace sda
