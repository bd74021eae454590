#include "cluster/log/delta_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sda/errors.h"

namespace sda::cluster {
namespace {

DeltaNote Note(const std::string& id, uint64_t documents, double seconds = 1) {
  return {.job = "j", .id = id, .worker = "w", .documents = documents, .seconds = seconds};
}

void AddOne(DeltaNotes* notes, const DeltaNote& note, int64_t offset, int64_t milliseconds) {
  notes->Add(ToHeader(note, 0, 1), 100, offset, milliseconds);
}

TEST(DeltaNotesTest, ADeltaCountsWhenItIsWhole) {
  DeltaNotes notes("j");
  notes.Begin();
  const DeltaNote a{.job = "j", .id = "a", .documents = 5, .tokens = 50, .offsets = {{3, 7}}};
  const DeltaNote b{.job = "j", .id = "b", .documents = 2, .skipped = 1, .deltas_in_prior = 0};
  notes.Add(ToHeader(a, 0, 2), 900, 0, 1000);
  EXPECT_EQ(notes.totals().deltas, 0);
  notes.Add(ToHeader(b, 0, 1), 10, 1, 1001);  // between the chunks of the other
  EXPECT_EQ(notes.totals().documents, 2);
  notes.Add(ToHeader(a, 1, 2), 90, 2, 1002);

  LogTotals expected;
  expected.Add(b, 10, 1001);
  expected.Add(a, 990, 1002);
  EXPECT_EQ(notes.totals().ToJson(), expected.ToJson());
  EXPECT_EQ(notes.totals().staleness_last, 1);
}

TEST(DeltaNotesTest, WhatASnapshotHoldsIsNotCountedAgainButIsPartOfTheRate) {
  DeltaNotes notes("j");
  LogTotals before;
  before.Add(Note("a", 100), 100, 1000);
  before.Add(Note("c", 100), 100, 3000);
  notes.Begin({.job = "j", .position = 11, .beyond = {{"c", 12}}, .totals = before.ToJson()});
  AddOne(&notes, Note("a", 100), 10, 1000);
  AddOne(&notes, Note("b", 100), 11, 2000);
  AddOne(&notes, Note("c", 100), 12, 3000);
  EXPECT_EQ(notes.totals().deltas, 3);
  EXPECT_EQ(notes.totals().documents, 300);
  EXPECT_DOUBLE_EQ(notes.RateAt(3000, false).documents_per_second, 100);  // 300 in three seconds
}

TEST(DeltaNotesTest, DeltasOfAJobThatWasDeletedAreNothing) {
  DeltaNotes notes("j");
  notes.Begin();
  DeltaNote note = Note("a", 100);
  note.job = "another";
  AddOne(&notes, note, 0, 1000);
  EXPECT_EQ(notes.totals().deltas, 0);
  EXPECT_EQ(notes.RateAt(1000, false).documents_per_second, 0);
}

TEST(DeltaNotesTest, TheRateIsThatOfTheLastMinute) {
  DeltaNotes notes("j");
  notes.Begin();
  for (int i = 1; i <= 300; ++i) {  // every second; after 200 of them ten times as much
    DeltaNote note = Note(std::to_string(i), i <= 200 ? 10 : 100);
    note.skipped = 1;
    note.worker = i % 2 == 0 ? "even" : "odd";
    AddOne(&notes, note, i, 1000 * i);
  }
  const DeltaNotes::Rate rate = notes.RateAt(300'000, false);
  EXPECT_NEAR(rate.documents_per_second, 100, 1e-9);
  EXPECT_NEAR(rate.messages_per_second, 101, 1e-9);
  EXPECT_NEAR(rate.of_worker.at("even"), 50, 1e-9);
  EXPECT_NEAR(rate.of_worker.at("odd"), 50, 1e-9);
}

TEST(DeltaNotesTest, AYoungJobIsMeasuredByItsAge) {
  DeltaNotes notes("j");
  notes.Begin();
  AddOne(&notes, Note("a", 1000, /*seconds=*/4), 0, 10'000);
  EXPECT_DOUBLE_EQ(notes.RateAt(10'500, false).documents_per_second, 250);
}

TEST(DeltaNotesTest, ALongDeltaCountsByTheShareThatIsInTheMinute) {
  DeltaNotes notes("j");
  notes.Begin();
  AddOne(&notes, Note("a", 1000, /*seconds=*/200), 0, 1'000'000);
  EXPECT_NEAR(notes.RateAt(1'000'000, false).documents_per_second, 5, 1e-9);
}

TEST(DeltaNotesTest, TheRateFallsWhenNothingComes) {
  DeltaNotes notes("j");
  notes.Begin();
  AddOne(&notes, Note("a", 1000, /*seconds=*/4), 0, 10'000);
  EXPECT_DOUBLE_EQ(notes.RateAt(14'000, false).documents_per_second, 250);  // as long as it took
  EXPECT_DOUBLE_EQ(notes.RateAt(18'000, false).documents_per_second, 125);
  EXPECT_DOUBLE_EQ(notes.RateAt(30'000, false).documents_per_second, 50);  // 1000 in 20 seconds
  EXPECT_GT(notes.RateAt(73'999, false).documents_per_second, 0);
  EXPECT_EQ(notes.RateAt(74'000, false).documents_per_second, 0);
  AddOne(&notes, Note("b", 1000, /*seconds=*/100), 1, 200'000);  // the next may take as long
  EXPECT_DOUBLE_EQ(notes.RateAt(300'000, false).documents_per_second, 10);
  EXPECT_DOUBLE_EQ(notes.RateAt(330'000, false).documents_per_second, 5);
  EXPECT_EQ(notes.RateAt(360'000, false).documents_per_second, 0);
}

TEST(DeltaNotesTest, WhoHasCaughtUpIsIdle) {
  DeltaNotes notes("j");
  notes.Begin();
  AddOne(&notes, Note("a", 1000, /*seconds=*/4), 0, 10'000);
  EXPECT_DOUBLE_EQ(notes.RateAt(14'000, true).documents_per_second, 250);
  EXPECT_EQ(notes.RateAt(14'001, true).documents_per_second, 0);
  EXPECT_TRUE(notes.RateAt(14'001, true).of_worker.empty());
}

TEST(DeltaNotesTest, ADeltaThatTookNoTimeAndAClockBehindDoNoHarm) {
  DeltaNotes notes("j");
  notes.Begin();
  AddOne(&notes, Note("a", 10, /*seconds=*/0), 0, 10'000);
  const double rate = notes.RateAt(1000, false).documents_per_second;
  EXPECT_TRUE(std::isfinite(rate));
  EXPECT_GT(rate, 0);
}

TEST(DeltaNotesTest, AHeaderThatIsNoNoteIsRefused) {
  DeltaNotes notes("j");
  notes.Begin();
  EXPECT_THROW(notes.Add("{", 1, 0, 0), InputError);
  EXPECT_THROW(notes.Add(R"({"version":3,"id":"x","chunk":0,"chunks":1})", 1, 0, 0), InputError);
}

}  // namespace
}  // namespace sda::cluster
