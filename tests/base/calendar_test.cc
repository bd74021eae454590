#include "base/calendar.h"

#include <gtest/gtest.h>

namespace sda {
namespace {

constexpr int64_t kDay = 86'400'000;
constexpr int64_t kAt2000 = 10957 * kDay;  // a Saturday
constexpr int64_t kYear0 = -62'167'219'200'000;
constexpr int64_t kYear10000 = 253'402'300'800'000;

TEST(CalendarTest, AUnitBeginsWhereTheOneBeforeEnds) {
  for (int i = 0; i < kTimeUnits; ++i) {
    const auto unit = static_cast<TimeUnit>(i);
    for (const int64_t time : {kYear0, int64_t{-1}, int64_t{0}, kAt2000, kYear10000 - 1}) {
      const int64_t number = UnitOf(unit, time);
      EXPECT_LE(BeginOf(unit, number), time) << UnitName(unit);
      EXPECT_GT(BeginOf(unit, number + 1), time) << UnitName(unit);
      if (unit == TimeUnit::kEver) continue;  // all of the calendar is one
      EXPECT_EQ(UnitOf(unit, BeginOf(unit, number)), number) << UnitName(unit);
      EXPECT_EQ(UnitOf(unit, BeginOf(unit, number) - 1), number - 1) << UnitName(unit);
    }
  }
}

TEST(CalendarTest, ALongerUnitIsMadeOfWholeOnes) {
  for (int i = 1; i < kTimeUnits; ++i) {
    const auto unit = static_cast<TimeUnit>(i);
    const TimeUnit longer = Longer(unit);
    EXPECT_TRUE(Divides(unit, longer)) << UnitName(unit);
    EXPECT_TRUE(longer == unit || !Divides(longer, unit)) << UnitName(unit);
    for (int64_t time = kAt2000 - 4000 * kDay; time < kAt2000 + 4000 * kDay; time += kDay) {
      const int64_t number = UnitOf(unit, time);
      EXPECT_EQ(UnitOf(longer, BeginOf(unit, number)), UnitOf(longer, time)) << UnitName(unit);
    }
  }
}

TEST(CalendarTest, MonthsAreNotMadeOfWeeks) {
  EXPECT_FALSE(Divides(TimeUnit::kWeek, TimeUnit::kMonth));
  EXPECT_FALSE(Divides(TimeUnit::kMonth, TimeUnit::kFourWeeks));
  EXPECT_TRUE(Divides(TimeUnit::kDay, TimeUnit::kWeek));
  EXPECT_TRUE(Divides(TimeUnit::kMonth, TimeUnit::kDecade));
}

TEST(CalendarTest, HasTheYears0To9999) {
  EXPECT_TRUE(IsInCalendar(kYear0));
  EXPECT_FALSE(IsInCalendar(kYear0 - 1));
  EXPECT_TRUE(IsInCalendar(kYear10000 - 1));
  EXPECT_FALSE(IsInCalendar(kYear10000));
  EXPECT_FALSE(IsInCalendar(INT64_MIN));
  EXPECT_FALSE(IsInCalendar(INT64_MAX));
}

}  // namespace
}  // namespace sda
