#include "sda/prefetch_source.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "sda/source.h"
#include "sda/tracked_source.h"

namespace sda {
namespace {

using Rows = std::vector<int>;

MemorySource<Rows> TenMinibatches() {
  std::vector<Rows> rows;
  for (int i = 0; i < 10; ++i) rows.push_back({i, i * i});
  return MemorySource<Rows>(rows);
}

// An endless sequence of numbers, until it is set to fail.
class Endless : public Source<int> {
 public:
  explicit Endless(uint64_t fails_at) : fails_at_(fails_at) {}
  std::optional<Minibatch<int>> Next() override {
    if (next_ == fails_at_) throw std::runtime_error("minibatch is bad");
    const uint64_t id = next_++;
    return Minibatch<int>{id, {.items = 1}, std::to_string(id + 1), static_cast<int>(id)};
  }
  void Resume(const std::string& position, const std::vector<uint64_t>& /*cut*/) override {
    next_ = std::stoull(position);
  }

  uint64_t read() const { return next_; }

 private:
  const uint64_t fails_at_;
  std::atomic<uint64_t> next_ = 0;
};

TEST(PrefetchSource, HandsOutTheSameMinibatchesInTheSameOrder) {
  for (const size_t ahead : {0, 1, 2, 100}) {
    auto plain = TenMinibatches();
    auto read_ahead = TenMinibatches();
    PrefetchSource<Rows> prefetch(&read_ahead, ahead);
    while (auto expected = plain.Next()) {
      const auto found = prefetch.Next();
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->id, expected->id);
      EXPECT_EQ(found->counts, expected->counts);
      EXPECT_EQ(found->position, expected->position);
      EXPECT_EQ(found->data, expected->data);
    }
    EXPECT_FALSE(prefetch.Next().has_value());
    EXPECT_FALSE(prefetch.Next().has_value());
  }
}

TEST(PrefetchSource, ThrowsWhatTheSourceThrewInItsPlace) {
  Endless source(3);
  PrefetchSource<int> prefetch(&source);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(prefetch.Next()->data, i);
  EXPECT_THROW(prefetch.Next(), std::runtime_error);
  EXPECT_THROW(prefetch.Next(), std::runtime_error);
}

TEST(PrefetchSource, ReadsNoFurtherAheadThanAsked) {
  Endless source(1'000'000);
  PrefetchSource<int> prefetch(&source, 3);
  prefetch.Next();
  for (int i = 0; i < 60'000 && source.read() < 1 + 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GE(source.read(), 1u + 3u) << "nothing was read ahead for a minute";
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  EXPECT_LE(source.read(), 1u + 3u + 1u);
}

TEST(PrefetchSource, ResumesWhereverItWas) {
  Endless source(1'000);
  PrefetchSource<int> prefetch(&source);
  prefetch.Resume("5", {});
  EXPECT_EQ(prefetch.Next()->data, 5);
  EXPECT_EQ(prefetch.Next()->data, 6);
  prefetch.Resume("2", {});
  EXPECT_EQ(prefetch.Next()->data, 2);
  prefetch.Resume("1000", {});
  EXPECT_THROW(prefetch.Next(), std::runtime_error);
  prefetch.Resume("7", {});
  EXPECT_EQ(prefetch.Next()->data, 7);
}

TEST(PrefetchSource, EndsCleanlyAtAnyTime) {
  for (uint64_t trial = 0; trial < 50; ++trial) {
    const uint64_t used = trial % 7;
    const uint64_t ahead = 1 + trial % 4;
    Endless source(1'000'000);
    {
      PrefetchSource<int> prefetch(&source, ahead);
      for (uint64_t i = 0; i < used; ++i) EXPECT_EQ(prefetch.Next()->id, i);
    }
    const uint64_t read = source.read();
    EXPECT_GE(read, used);
    EXPECT_LE(read, used + ahead + 1);
    std::this_thread::yield();
    EXPECT_EQ(source.read(), read) << "it still reads";
  }
}

// Remembers how it was resumed.
class Remembering : public Source<int> {
 public:
  std::optional<Minibatch<int>> Next() override { return std::nullopt; }
  void Resume(const std::string& position, const std::vector<uint64_t>& cut) override {
    position_ = position;
    cut_ = cut;
  }
  std::string position_ = "none";
  std::vector<uint64_t> cut_;
};

TEST(PrefetchSource, PassesOnWhereToResumeAndHowTheStreamWasCut) {
  Remembering source;
  PrefetchSource<int> prefetch(&source);
  prefetch.Resume("place", {3, 1, 2});
  EXPECT_EQ(source.position_, "place");
  EXPECT_EQ(source.cut_, (std::vector<uint64_t>{3, 1, 2}));
}

TEST(TrackedSource, PassesOnWhereToResumeAndHowTheStreamWasCut) {
  Remembering source;
  TrackedSource<int> tracked(&source);
  PrefetchSource<int> prefetch(&tracked);
  prefetch.Resume("place", {3, 1, 2});
  EXPECT_EQ(source.position_, "place");
  EXPECT_EQ(source.cut_, (std::vector<uint64_t>{3, 1, 2}));
  tracked.Resume(Progress{.position = "another", .next = 4, .cut = {5}});
  EXPECT_EQ(source.position_, "another");
  EXPECT_EQ(source.cut_, (std::vector<uint64_t>{5}));
}

}  // namespace
}  // namespace sda
