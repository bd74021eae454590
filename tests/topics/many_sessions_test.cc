// Sessions side by side leave no resources behind.

#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <thread>

#include "sda/topics.h"
#include "tests/base/memory_in_use.h"
#include "tests/base/process_status.h"
#include "tests/topics/topic_test_util.h"

namespace sda {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsThatOfTheProgram = false;
#else
constexpr bool kMemoryIsThatOfTheProgram = true;
#endif

constexpr uint64_t kWords = 8000;

// A model of some MB, which learns, infers and is gone. Returns its posterior.
std::string OneLife(const TopicOptions& options, const std::vector<Documents>& minibatches) {
  TopicSession session(options, WordNames(kWords), Context(2));
  for (const Documents& documents : minibatches) session.Update(documents);
  EXPECT_EQ(session.Infer(minibatches[0], 1).size(), minibatches[0].size());
  return session.Snapshot().posterior.Serialize();
}

class ManySessions : public ::testing::Test {
 protected:
  // That many models, one after the other in each of two threads.
  void Live(int models_each) const {
    auto live = [&](size_t kind) {
      for (int i = 0; i < models_each; ++i) {
        const size_t which = (kind + i) % kinds_.size();
        EXPECT_EQ(OneLife(kinds_[which], minibatches_), expected_[which]);
      }
    };
    std::jthread other([&] { live(1); });
    live(0);
  }

  std::vector<TopicOptions> Kinds() const {
    std::vector<TopicOptions> kinds = LearnersOf(20);
    for (TopicOptions& options : kinds) {
      if (options.primitive == "gibbs") options.sweeps = 2;
    }
    kinds.erase(kinds.begin() + 2);  // EP is slow
    return kinds;
  }

  const std::vector<Documents> minibatches_ = MakeMinibatches(2, 60, kWords);
  const std::vector<TopicOptions> kinds_ = Kinds();
  const std::vector<std::string> expected_ = [this] {
    std::vector<std::string> all;
    for (const TopicOptions& options : kinds_) all.push_back(OneLife(options, minibatches_));
    return all;
  }();
};

TEST_F(ManySessions, AHundredTwoAtATimeLeaveMemoryAndThreadsAsTheyWere) {
  Live(3);  // what the process needs once
  malloc_trim(0);
  const int64_t threads = StatusOfProcess("Threads");
  const int64_t in_use = MemoryInUse();
  const int64_t memory = StatusOfProcess("VmRSS");
  Live(50);
  EXPECT_LE(MemoryInUse(), in_use + (int64_t{1} << 20));
  malloc_trim(0);
  EXPECT_EQ(StatusOfProcess("Threads"), threads);
  if (kMemoryIsThatOfTheProgram) {
    constexpr int64_t kFewMegabytes = 8 * 1024;
    EXPECT_LE(StatusOfProcess("VmRSS"), memory + kFewMegabytes);
  }
}

TEST_F(ManySessions, AStopOfOneIsNoneOfTheOther) {
  const Context first_context(1);
  TopicSession first(kinds_[0], WordNames(kWords), first_context);
  TopicSession second(kinds_[0], WordNames(kWords), Context(1));
  first_context.RequestStop();
  EXPECT_TRUE(first.Update(minibatches_[0]).stopped);
  EXPECT_EQ(second.Update(minibatches_[0]).minibatches, 1u);
  EXPECT_EQ(first.summary().minibatches, 0u);
}

}  // namespace
}  // namespace sda
