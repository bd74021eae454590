#include <gtest/gtest.h>

#include "report/report_periods.h"

namespace sda::report {
namespace {

constexpr int64_t kDay = 86'400'000;
constexpr int64_t kAt2000 = 946'684'800'000;  // 2000-01-01, a Saturday
const std::vector<double> kGamma = {3, 1};

TEST(PeriodsTest, AWeekBeginsOnMonday) {
  const int64_t week = UnitOf(Unit::kWeek, kAt2000);
  EXPECT_EQ(BeginOf(Unit::kWeek, week), kAt2000 - 5 * kDay);
  EXPECT_EQ(UnitOf(Unit::kWeek, kAt2000 + kDay), week);
  EXPECT_EQ(UnitOf(Unit::kWeek, kAt2000 + 2 * kDay), week + 1);
}

TEST(PeriodsTest, MonthsAndYearsBeginWhereTheCalendarSays) {
  const int64_t late_february = kAt2000 + (31 + 28) * kDay;  // 2000-02-29
  EXPECT_EQ(BeginOf(Unit::kMonth, UnitOf(Unit::kMonth, late_february)), kAt2000 + 31 * kDay);
  EXPECT_EQ(BeginOf(Unit::kMonth, UnitOf(Unit::kMonth, late_february) + 1), kAt2000 + 60 * kDay);
  EXPECT_EQ(BeginOf(Unit::kQuarter, UnitOf(Unit::kQuarter, late_february)), kAt2000);
  EXPECT_EQ(BeginOf(Unit::kYear, UnitOf(Unit::kYear, late_february)), kAt2000);
  EXPECT_EQ(BeginOf(Unit::kDecade, UnitOf(Unit::kDecade, late_february)), kAt2000);
}

TEST(PeriodsTest, TimesBefore1970HaveTheirPeriod) {
  for (int unit = 0; unit < kUnits; ++unit) {
    const Unit u = static_cast<Unit>(unit);
    for (const int64_t time : {int64_t{-1}, -kDay, -4000 * kDay, -30000 * kDay - 5, int64_t{0}}) {
      EXPECT_LE(BeginOf(u, UnitOf(u, time)), time) << UnitName(u);
      EXPECT_GT(BeginOf(u, UnitOf(u, time) + 1), time) << UnitName(u);
    }
  }
}

TEST(PeriodsTest, TheSpanDecidesTheUnit) {
  const auto unit = [](int64_t days) {
    Periods periods(2, 100);
    periods.Add(kAt2000 + days * kDay, kGamma);
    periods.Add(kAt2000, kGamma);
    return std::string(UnitName(periods.Finish().unit));
  };
  EXPECT_EQ(unit(0), "hour");
  EXPECT_EQ(unit(30), "day");
  EXPECT_EQ(unit(400), "week");
  EXPECT_EQ(unit(2000), "month");
  EXPECT_EQ(unit(5000), "quarter");
  EXPECT_EQ(unit(30'000), "year");
  EXPECT_EQ(unit(300'000), "decade");
}

TEST(PeriodsTest, AFewDocumentsFarFromTheOthersDoNotDecide) {
  Periods periods(2, 100);
  for (int i = 0; i < 1000; ++i) periods.Add(kAt2000 + i % 50 * kDay, kGamma);
  periods.Add(0, kGamma);
  periods.Add(kAt2000 + 9000 * kDay, kGamma);
  const auto found = periods.Finish();
  EXPECT_EQ(found.unit, Unit::kDay);
  EXPECT_EQ(found.periods.size(), 50u);
  EXPECT_EQ(found.outside, 2u);
}

TEST(PeriodsTest, WhatFitsIsAllShown) {
  Periods periods(2, 100);
  for (int i = 0; i < 1000; ++i) periods.Add(kAt2000 + i % 50 * kDay, kGamma);
  periods.Add(kAt2000 + 90 * kDay, kGamma);
  EXPECT_EQ(periods.Finish().outside, 0u);
  EXPECT_EQ(periods.Finish().periods.back().begin, kAt2000 + 90 * kDay);
}

TEST(PeriodsTest, DocumentsInAnyOrderGiveTheSamePeriods) {
  Periods forward(2, 10), backward(2, 10);
  for (int i = 0; i < 40; ++i) forward.Add(kAt2000 + 10 * i * kDay, {{1.0 + i, 2.0}});
  for (int i = 39; i >= 0; --i) backward.Add(kAt2000 + 10 * i * kDay, {{1.0 + i, 2.0}});
  const auto a = forward.Finish().periods, b = backward.Finish().periods;
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(forward.Finish().unit, Unit::kQuarter);
  uint64_t documents = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].begin, b[i].begin);
    EXPECT_EQ(a[i].documents, b[i].documents);
    EXPECT_NEAR(a[i].shares[0].mean, b[i].shares[0].mean, 1e-12);
    documents += a[i].documents;
  }
  EXPECT_EQ(documents, 40u);
}

TEST(PeriodsTest, AShareIsTheMeanOfTheDocuments) {
  Periods periods(2, 100);
  periods.Add(kAt2000, {{3.0, 1.0}});
  periods.Add(kAt2000, {{1.0, 1.0}});
  const auto found = periods.Finish().periods;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].shares[0].mean, (0.75 + 0.5) / 2, 1e-12);
  EXPECT_NEAR(found[0].shares[1].mean, (0.25 + 0.5) / 2, 1e-12);
}

TEST(PeriodsTest, IntervalsAreNarrowerTheMoreDocumentsThereAre) {
  Periods periods(2, 100);
  for (int i = 0; i < 400; ++i) periods.Add(kAt2000, {{i % 2 == 0 ? 9.0 : 1.0, 5.0}});
  for (int i = 0; i < 4; ++i) periods.Add(kAt2000 + kDay, {{i % 2 == 0 ? 9.0 : 1.0, 5.0}});
  periods.Add(kAt2000 + 3 * kDay, {{9.0, 5.0}});
  const auto found = periods.Finish().periods;
  ASSERT_EQ(found.size(), 3u);
  const auto width = [&](size_t i) { return found[i].shares[0].upper - found[i].shares[0].lower; };
  EXPECT_NEAR(width(1) / width(0), 10, 2);
  EXPECT_GT(width(2), width(1)) << "one document says less than four";
  for (const auto& period : found) {
    EXPECT_LT(period.shares[0].lower, period.shares[0].mean);
    EXPECT_GT(period.shares[0].upper, period.shares[0].mean);
  }
}

}  // namespace
}  // namespace sda::report
