#include "cluster/log/log_totals.h"

#include <gtest/gtest.h>

#include "sda/errors.h"

namespace sda::cluster {
namespace {

TEST(LogTotalsTest, AddsUpAndMeasuresStaleness) {
  LogTotals totals;
  totals.Add({.documents = 10, .tokens = 100, .bad = 1, .offsets = {{0, {0, 10}}, {1, {0, 7}}}}, 50,
             1000);
  totals.Add({.documents = 5,
              .tokens = 60,
              .skipped = 2,
              .deltas_in_prior = 1,
              .offsets = {{0, {10, 15}}}},
             40, 1500);
  totals.Add({.documents = 1, .tokens = 1, .deltas_in_prior = 0, .offsets = {{1, {7, 8}}}}, 30,
             1400);
  EXPECT_EQ(totals.deltas, 3);
  EXPECT_EQ(totals.documents, 16);
  EXPECT_EQ(totals.tokens, 161);
  EXPECT_EQ(totals.skipped, 2);
  EXPECT_EQ(totals.bad, 1);
  EXPECT_EQ(totals.bytes, 120);
  EXPECT_EQ(totals.staleness_last, 2);  // two came between its view and itself
  EXPECT_EQ(totals.staleness_max, 2);
  EXPECT_EQ(totals.staleness_mean(), 2.0 / 3);
  EXPECT_EQ(totals.first_milliseconds, 1000);
  EXPECT_EQ(totals.last_milliseconds, 1500);
  EXPECT_EQ(totals.offsets, (std::map<int32_t, int64_t>{{0, 15}, {1, 8}}));
}

TEST(StalenessTest, AViewThatFellBackToAnOlderSnapshotHasNone) {
  EXPECT_EQ(StalenessOf(7, 5), 2);
  EXPECT_EQ(StalenessOf(5, 5), 0);
  EXPECT_EQ(StalenessOf(3, 5), 0);  // not 2^64 - 2
  LogTotals totals;
  totals.Add({.deltas_in_prior = 5}, 0, 1);
  EXPECT_EQ(totals.staleness_max, 0);
}

TEST(LogTotalsTest, TheScoreIsThatOfTheLastDeltas) {
  LogTotals totals;
  for (int i = 0; i < 100; ++i) totals.Add({.score_sum = -900, .score_tokens = 100}, 0, 1);
  EXPECT_NEAR(totals.score(), -9, 1e-9);
  for (int i = 0; i < 100; ++i) totals.Add({.score_sum = -700, .score_tokens = 100}, 0, 1);
  EXPECT_NEAR(totals.score(), -7, 0.02);
}

TEST(LogTotalsTest, ComesBackFromJson) {
  LogTotals totals;
  totals.Add({.documents = 10,
              .tokens = 100,
              .score_sum = -1.1,
              .score_tokens = 3,
              .offsets = {{3, {0, 4}}}},
             50, 1000);
  for (int i = 0; i < 20; ++i) totals.set_aside.Add({"topic", 0, i, "the delta is none"});
  EXPECT_EQ(totals.set_aside.count, 20);
  EXPECT_EQ(totals.set_aside.last.size(), SetAsides::kNamed);
  EXPECT_EQ(LogTotals::FromJson(totals.ToJson()).ToJson(), totals.ToJson());
  EXPECT_EQ(LogTotals::FromJson(totals.ToJson()).set_aside, totals.set_aside);
  LogTotals forged = totals;
  forged.set_aside.last.back().reason = "\x1b[2J";  // it would be shown on a terminal
  EXPECT_THROW(LogTotals::FromJson(forged.ToJson()), InputError);
  EXPECT_THROW(LogTotals::FromJson("{}"), InputError);
  EXPECT_THROW(LogTotals::FromJson("no"), InputError);
  std::string negative = totals.ToJson();
  negative.replace(negative.find("\"tokens\":100"), 12, "\"tokens\":-10");
  EXPECT_THROW(LogTotals::FromJson(negative), InputError);
}

}  // namespace
}  // namespace sda::cluster
