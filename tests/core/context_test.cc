#include "sda/context.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sda/errors.h"
#include "sda/program.h"
#include "tests/base/process_status.h"

namespace sda {
namespace {

TEST(Context, CopiesShareTheStopAndThePool) {
  const Context first(3);
  const Context second = first;
  EXPECT_EQ(second.threads(), 3);
  EXPECT_EQ(first.pool(), second.pool());
  EXPECT_EQ(first.pool()->threads(), 3);
  EXPECT_FALSE(first.StopRequested());
  second.RequestStop();
  EXPECT_TRUE(first.StopRequested());
  EXPECT_TRUE(first.token().stop_requested());
}

TEST(Context, NoThreadsMeansAllOfTheProcessorAndANegativeNumberIsRefused) {
  EXPECT_GE(Context().threads(), 1);
  EXPECT_EQ(Context(0).threads(), Context().threads());
  EXPECT_THROW(Context(-1), UsageError);
  EXPECT_EQ(Context(Context::kMostThreads).threads(), Context::kMostThreads);
  EXPECT_THROW(Context(Context::kMostThreads + 1), UsageError);
}

TEST(Context, AStopOfTheOwnerReachesTheContextButNotTheOtherWayRound) {
  const std::stop_source owner;
  const Context first(1, owner.get_token());
  const Context second(1, owner.get_token());
  first.RequestStop();
  EXPECT_TRUE(first.StopRequested());
  EXPECT_FALSE(owner.stop_requested());
  EXPECT_FALSE(second.StopRequested());
  std::stop_source(owner).request_stop();
  EXPECT_TRUE(second.StopRequested());
  EXPECT_TRUE(Context(1, owner.get_token()).StopRequested()) << "made after the request";
}

TEST(Context, AChildIsStoppedWithItsParentAndMayEndBeforeIt) {
  const Context parent(1);
  const Context child(1, parent.token());
  { const Context gone(1, parent.token()); }
  parent.RequestStop();
  EXPECT_TRUE(child.StopRequested());
}

TEST(Context, TwoHaveNothingInCommon) {
  const Context first(2);
  const Context second(2);
  EXPECT_NE(first.pool(), second.pool());
  first.RequestStop();
  EXPECT_FALSE(second.StopRequested());
}

TEST(Context, LogGoesToTheLoggerOfAllCopies) {
  std::vector<std::string> lines;
  const Context context(1, {}, [&](const std::string& line) { lines.push_back(line); });
  const Context copy = context;
  context.Log("one");
  copy.Log("two");
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two"}));
  Context(1).Log("to nobody");
}

TEST(Context, ThreadsAreStartedWhenTheyAreNeededAndEndWithTheLastCopy) {
  std::thread([] {}).join();  // a sanitizer starts one of its own with the first
  // A thread that was joined is known to the system for a moment yet.
  auto threads_are = [](int64_t count) {
    for (int i = 0; i < 1000 && StatusOfProcess("Threads") != count; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return StatusOfProcess("Threads") == count;
  };
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const int64_t before = StatusOfProcess("Threads");
  {
    const Context first(5);
    EXPECT_TRUE(threads_are(before));
    const Context second = first;
    first.pool();
    EXPECT_TRUE(threads_are(before + 4));
  }
  EXPECT_TRUE(threads_are(before));
}

std::atomic<int> handled = 0;

// A handler of the test's own for SIGTERM, for the scope.
class OwnHandler {
 public:
  OwnHandler() {
    struct sigaction action = {};
    action.sa_handler = [](int) { ++handled; };
    sigaction(SIGTERM, &action, &before_);
  }
  ~OwnHandler() { sigaction(SIGTERM, &before_, nullptr); }

 private:
  struct sigaction before_ = {};
};

// A minute at most: another thread requests it.
bool IsStopped(const std::stop_token& token) {
  for (int i = 0; i < 60'000 && !token.stop_requested(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return token.stop_requested();
}

TEST(StopOnSignals, ASignalRequestsAStopAndAfterwardsTheOldHandlerIsBack) {
  const OwnHandler own;
  handled = 0;
  {
    const StopOnSignals signals;
    const Context context(1, signals.token());
    EXPECT_FALSE(context.StopRequested());
    raise(SIGTERM);
    EXPECT_TRUE(IsStopped(context.token()));
    EXPECT_EQ(handled, 0);
  }
  raise(SIGTERM);
  EXPECT_EQ(handled, 1);
}

TEST(StopOnSignals, EndsWithoutASignal) {
  const OwnHandler own;
  const StopOnSignals signals;
  EXPECT_FALSE(signals.token().stop_requested());
}

size_t OpenFiles() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

TEST(StopOnSignals, IsTheOnlyOneOfAProcess) {
  const OwnHandler own;
  for (int times = 0; times < 2; ++times) {  // one after the other is fine
    const StopOnSignals first;
    const size_t files = OpenFiles();
    EXPECT_THROW(StopOnSignals(), std::logic_error);
    EXPECT_EQ(OpenFiles(), files);
    raise(SIGTERM);
    EXPECT_TRUE(IsStopped(first.token()));
  }
}

}  // namespace
}  // namespace sda
