#include "sda/id_set.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

#include "sda/errors.h"

namespace sda {
namespace {

TEST(IdSet, IdsInOrderAreOneInterval) {
  IdSet set;
  for (uint64_t id = 0; id < 1000; ++id) EXPECT_TRUE(set.Insert(id));
  EXPECT_EQ(set.size(), 1000u);
  ASSERT_EQ(set.intervals().size(), 1u);
  EXPECT_EQ(set.intervals()[0], (IdSet::Interval{0, 1000}));
}

TEST(IdSet, AnIdIsInsertedOnce) {
  IdSet set;
  EXPECT_TRUE(set.Insert(5));
  EXPECT_FALSE(set.Insert(5));
  EXPECT_EQ(set.size(), 1u);
}

TEST(IdSet, AgreesWithAStandardSetInAnyOrder) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    IdSet set;
    std::set<uint64_t> expected;
    for (int i = 0; i < 100; ++i) {
      const uint64_t id = random() % 60;
      EXPECT_EQ(set.Insert(id), expected.insert(id).second);
    }
    EXPECT_EQ(set.size(), expected.size());
    for (uint64_t id = 0; id < 61; ++id) EXPECT_EQ(set.Contains(id), expected.contains(id));
    for (size_t i = 1; i < set.intervals().size(); ++i) {
      EXPECT_LT(set.intervals()[i - 1].end, set.intervals()[i].begin);
    }
    EXPECT_EQ(IdSet::Deserialize(set.Serialize()), set);
  }
}

TEST(IdSet, TheLargestIdIsRefused) {
  IdSet set;
  EXPECT_THROW(set.Insert(std::numeric_limits<uint64_t>::max()), InputError);
}

TEST(IdSet, DamagedBytesAreRefused) {
  IdSet set;
  set.Insert(1);
  set.Insert(5);
  const std::string bytes = set.Serialize();
  EXPECT_THROW(IdSet::Deserialize(bytes.substr(1)), InputError);
  EXPECT_THROW(IdSet::Deserialize(bytes.substr(16) + bytes.substr(0, 16)), InputError);
}

}  // namespace
}  // namespace sda
