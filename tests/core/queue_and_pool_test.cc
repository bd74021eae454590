#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "sda/internal/bounded_queue.h"
#include "sda/thread_pool.h"

namespace sda {
namespace {

TEST(BoundedQueue, HandsOutInOrderAndDrainsAfterClose) {
  BoundedQueue<int> queue(3);
  EXPECT_TRUE(queue.Push(1));
  EXPECT_TRUE(queue.Push(2));
  queue.Close();
  EXPECT_FALSE(queue.Push(3));
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), 2);
  EXPECT_EQ(queue.Pop(), std::nullopt);
}

TEST(BoundedQueue, AbandonDropsWhatIsLeftAndWakesAWaitingPush) {
  BoundedQueue<int> queue(1);
  EXPECT_TRUE(queue.Push(1));
  std::jthread waiting([&] { EXPECT_FALSE(queue.Push(2)); });
  queue.Abandon();
  EXPECT_EQ(queue.Pop(), std::nullopt);
}

TEST(ThreadPool, DoesEveryIndexOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const size_t count : {0, 1, 7, 1000}) {
      std::vector<std::atomic<int>> done(count);
      pool.ParallelFor(count, [&](size_t i) { ++done[i]; });
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
  }
}

TEST(ThreadPool, ThrowsTheExceptionOfTheSmallestIndexAfterTryingAll) {
  ThreadPool pool(3);
  std::atomic<int> tried = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    tried = 0;
    try {
      pool.ParallelFor(100, [&](size_t i) {
        ++tried;
        if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "7");
    }
    EXPECT_EQ(tried, 100);
  }
}

TEST(ThreadPool, CallsFromBodiesAndFromOtherThreadsDoTheirWorkThemselves) {
  ThreadPool pool(3);
  std::atomic<int> done = 0;
  auto nested = [&] {
    pool.ParallelFor(10, [&](size_t) { pool.ParallelFor(10, [&](size_t) { ++done; }); });
  };
  {
    std::jthread other(nested);
    nested();
  }
  EXPECT_EQ(done, 200);
}

TEST(ThreadPool, NeedsAThread) { EXPECT_THROW(ThreadPool(0), std::invalid_argument); }

}  // namespace
}  // namespace sda
