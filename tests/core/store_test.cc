#include "sda/store.h"

#include <gtest/gtest.h>

#include "sda/dense.h"
#include "sda/errors.h"

namespace sda {
namespace {

TEST(Store, IsThePriorPlusTheDeltas) {
  MemoryStore<Dense> store(Dense{1, 1});
  store.Add({0, Dense{2, 0}});
  store.Add({1, Dense{0, 3}});
  EXPECT_EQ(store.Read().params, (Dense{3, 4}));
  EXPECT_EQ(store.prior(), (Dense{1, 1}));
}

TEST(Store, FoldsAMinibatchOnce) {
  MemoryStore<Dense> store(Dense{1});
  EXPECT_TRUE(store.Add({4, Dense{2}}).folded);
  EXPECT_FALSE(store.Add({4, Dense{2}}).folded);
  EXPECT_EQ(store.Read().params, Dense{3});
  EXPECT_EQ(store.Read().folded.size(), 1u);
}

TEST(Store, ADuplicateDoesNotDiscount) {
  MemoryStore<Dense> store(Dense{1});
  store.Add({4, Dense{2}});
  EXPECT_FALSE(store.Add({.minibatch = 4, .change = Dense{2}, .discount = 0.5}).folded);
  EXPECT_EQ(store.Read().params, Dense{3});
}

TEST(Store, ASnapshotOwnsItsDataAndKnowsItsMinibatches) {
  MemoryStore<Dense> store(Dense{1});
  store.Add({0, Dense{1}});
  const Snapshot<Dense> before = store.Read();
  store.Add({1, Dense{1}});
  EXPECT_EQ(before.params, Dense{2});
  EXPECT_TRUE(before.folded.Contains(0));
  EXPECT_FALSE(before.folded.Contains(1));
}

TEST(Store, StalenessCountsTheDeltasSinceTheSnapshot) {
  MemoryStore<Dense> store(Dense{0});
  const uint64_t at_start = store.Read().folded.size();
  EXPECT_EQ(store.Add({0, Dense{1}, at_start}).staleness, 0u);
  EXPECT_EQ(store.Add({1, Dense{1}, at_start}).staleness, 1u);
  EXPECT_EQ(store.Add({2, Dense{1}, at_start}).staleness, 2u);
  EXPECT_EQ(store.Add({3, Dense{1}, store.Read().folded.size()}).staleness, 0u);
}

TEST(Store, ADeltaFromTheFutureIsABrokenInvariant) {
  MemoryStore<Dense> store(Dense{0});
  EXPECT_THROW(store.Add({0, Dense{1}, 5}), std::logic_error);
}

TEST(Store, AReservedIdChangesNothing) {
  MemoryStore<Dense> store(Dense{1});
  const uint64_t reserved = ~uint64_t{0};
  EXPECT_THROW(store.Add({.minibatch = reserved, .change = Dense{1}, .discount = 0.5}), InputError);
  EXPECT_EQ(store.Read().params, Dense{1});
}

TEST(Store, GoesOnFromAnEarlierPosterior) {
  MemoryStore<Dense> first(Dense{1});
  first.Add({0, Dense{1}});
  MemoryStore<Dense> second(first.prior(), first.Read());
  EXPECT_FALSE(second.Add({0, Dense{1}}).folded);
  EXPECT_TRUE(second.Add({1, Dense{1}}).folded);
  EXPECT_EQ(second.Read().params, Dense{3});
}

TEST(Store, ASnapshotHasTheCountsOfWhatIsFoldedEachOnce) {
  MemoryStore<Dense> store(Dense{0});
  store.Add({.minibatch = 0, .change = Dense{1}, .counts = {5, 50, 1, 2}});
  const Snapshot<Dense> before = store.Read();
  store.Add({.minibatch = 1, .change = Dense{1}, .counts = {7, 70, 0, 1}});
  store.Add({.minibatch = 0, .change = Dense{1}, .counts = {5, 50, 1, 2}});
  EXPECT_EQ(before.counts, (Counts{5, 50, 1, 2}));
  EXPECT_EQ(store.Read().counts, (Counts{12, 120, 1, 3}));
  MemoryStore<Dense> resumed(store.prior(), store.Read());
  resumed.Add({.minibatch = 1, .change = Dense{1}, .counts = {7, 70, 0, 1}});
  resumed.Add({.minibatch = 2, .change = Dense{1}, .counts = {.items = 1}});
  EXPECT_EQ(resumed.Read().counts, (Counts{13, 120, 1, 3}));
}

}  // namespace
}  // namespace sda
