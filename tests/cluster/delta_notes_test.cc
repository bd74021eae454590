#include "cluster/log/delta_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cluster/log_maker.h"

namespace sda::cluster {
namespace {

// A job whose minibatches may be as large as these tests have them.
class DeltaNotesTest : public testing::Test {
 protected:
  DeltaNotesTest() { notes.Begin(); }

  // Of the documents after those of the last one.
  DeltaNote Note(uint64_t documents, double seconds = 1) {
    DeltaNote note = maker.Note(documents);
    note.seconds = seconds;
    return note;
  }
  void AddOne(const DeltaNote& note, int64_t offset, int64_t milliseconds) {
    notes.Add(maker.Message(note, offset, milliseconds));
  }

  LogMaker maker{10'000};
  DeltaNotes notes{maker.rules(), maker.questions()};
};

TEST_F(DeltaNotesTest, WhatASnapshotHoldsIsNotCountedAgainButIsPartOfTheRate) {
  const DeltaNote a = Note(100);
  const DeltaNote b = Note(100);
  const DeltaNote c = Note(100);
  LogTotals before;
  before.Add(a, 100, 1000);
  before.Add(b, 100, 2000);
  notes.Begin({.job = "0123", .position = 12, .read_to = 12, .totals = before.ToJson()}, before, 0);
  DeltaNote forged = a;  // and set aside when it was read
  forged.documents = 1'000'000'000'000'000;
  AddOne(forged, 8, 1000);
  forged.documents = 100;
  forged.offsets[0] = {1000, 2000};  // beyond what the snapshot holds
  AddOne(forged, 9, 1000);
  AddOne(a, 10, 1000);
  AddOne(b, 11, 2000);
  AddOne(c, 12, 3000);
  EXPECT_EQ(notes.totals().deltas, 3);
  EXPECT_EQ(notes.totals().documents, 300);
  EXPECT_EQ(notes.totals().set_aside.count, 0);
  EXPECT_DOUBLE_EQ(notes.RateAt(3000, false).documents_per_second, 100);  // 300 in three seconds
}

TEST_F(DeltaNotesTest, WhatIsSetAsideIsNotPartOfTheRate) {
  DeltaNote note = Note(100);
  AddOne(note, 0, 1000);
  AddOne(note, 1, 1000);  // replayed
  note.job = "another";   // was deleted
  AddOne(note, 2, 1000);
  EXPECT_EQ(notes.totals().deltas, 1);
  EXPECT_EQ(notes.totals().set_aside.count, 1);
  EXPECT_DOUBLE_EQ(notes.RateAt(1000, false).documents_per_second, 100);
}

TEST_F(DeltaNotesTest, TheRateIsThatOfTheLastMinute) {
  for (int i = 1; i <= 300; ++i) {  // every second; after 200 of them ten times as much
    DeltaNote note = Note(i <= 200 ? 10 : 100);
    note.skipped = 1;
    note.worker = i % 2 == 0 ? "even" : "odd";
    AddOne(note, i, 1000 * i);
  }
  const DeltaNotes::Rate rate = notes.RateAt(300'000, false);
  EXPECT_NEAR(rate.documents_per_second, 100, 1e-9);
  EXPECT_NEAR(rate.messages_per_second, 101, 1e-9);
  EXPECT_NEAR(rate.of_worker.at("even"), 50, 1e-9);
  EXPECT_NEAR(rate.of_worker.at("odd"), 50, 1e-9);
}

TEST_F(DeltaNotesTest, AYoungJobIsMeasuredByItsAge) {
  AddOne(Note(1000, /*seconds=*/4), 0, 10'000);
  EXPECT_DOUBLE_EQ(notes.RateAt(10'500, false).documents_per_second, 250);
}

TEST_F(DeltaNotesTest, ALongDeltaCountsByTheShareThatIsInTheMinute) {
  AddOne(Note(1000, /*seconds=*/200), 0, 1'000'000);
  EXPECT_NEAR(notes.RateAt(1'000'000, false).documents_per_second, 5, 1e-9);
}

TEST_F(DeltaNotesTest, TheRateFallsWhenNothingComes) {
  AddOne(Note(1000, /*seconds=*/4), 0, 10'000);
  EXPECT_DOUBLE_EQ(notes.RateAt(14'000, false).documents_per_second, 250);  // as long as it took
  EXPECT_DOUBLE_EQ(notes.RateAt(18'000, false).documents_per_second, 125);
  EXPECT_DOUBLE_EQ(notes.RateAt(30'000, false).documents_per_second, 50);  // 1000 in 20 seconds
  EXPECT_GT(notes.RateAt(73'999, false).documents_per_second, 0);
  EXPECT_EQ(notes.RateAt(74'000, false).documents_per_second, 0);
  AddOne(Note(1000, /*seconds=*/100), 1, 200'000);  // the next may take as long
  EXPECT_DOUBLE_EQ(notes.RateAt(300'000, false).documents_per_second, 10);
  EXPECT_DOUBLE_EQ(notes.RateAt(330'000, false).documents_per_second, 5);
  EXPECT_EQ(notes.RateAt(360'000, false).documents_per_second, 0);
}

TEST_F(DeltaNotesTest, WhoHasCaughtUpIsIdle) {
  AddOne(Note(1000, /*seconds=*/4), 0, 10'000);
  EXPECT_DOUBLE_EQ(notes.RateAt(14'000, true).documents_per_second, 250);
  EXPECT_EQ(notes.RateAt(14'001, true).documents_per_second, 0);
  EXPECT_TRUE(notes.RateAt(14'001, true).of_worker.empty());
}

TEST_F(DeltaNotesTest, ADeltaThatTookNoTimeAndAClockBehindDoNoHarm) {
  AddOne(Note(10, /*seconds=*/0), 0, 10'000);
  const double rate = notes.RateAt(1000, false).documents_per_second;
  EXPECT_TRUE(std::isfinite(rate));
  EXPECT_GT(rate, 0);
}

}  // namespace
}  // namespace sda::cluster
