#include "base/calendar.h"

#include <chrono>

namespace sda {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::milliseconds;
using std::chrono::sys_days;

constexpr int64_t kHour = 3'600'000;
constexpr int64_t kDay = 24 * kHour;
constexpr int64_t kDaysToMonday = 3;             // 1970 began on a Thursday
constexpr int64_t kYear0 = -62'167'219'200'000;  // when it began, and the year 10000
constexpr int64_t kYear10000 = 253'402'300'800'000;

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Months since the year 0.
int64_t MonthOf(int64_t time) {
  const std::chrono::year_month_day date(
      floor<days>(std::chrono::sys_time<milliseconds>(milliseconds(time))));
  return 12 * int64_t{static_cast<int>(date.year())} + static_cast<unsigned>(date.month()) - 1;
}

int64_t BeginOfMonth(int64_t month) {
  const int64_t year = FloorDivide(month, 12);
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(1 + month - 12 * year),
                                         std::chrono::day(1));
  return std::chrono::duration_cast<milliseconds>(sys_days(date).time_since_epoch()).count();
}

// 0 if it is not made of them.
int64_t MonthsOf(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kMonth:
      return 1;
    case TimeUnit::kQuarter:
      return 3;
    case TimeUnit::kYear:
      return 12;
    case TimeUnit::kDecade:
      return 120;
    case TimeUnit::kCentury:
      return 1200;
    default:
      return 0;
  }
}

int64_t WeeksOf(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kWeek:
      return 1;
    case TimeUnit::kFourWeeks:
      return 4;
    case TimeUnit::kFiftyTwoWeeks:
      return 52;
    case TimeUnit::kTenTimesFiftyTwoWeeks:
      return 520;
    default:
      return 0;
  }
}

}  // namespace

const char* UnitName(TimeUnit unit) {
  constexpr const char* kNames[] = {"hour",    "day",      "week",      "month",
                                    "quarter", "year",     "decade",    "century",
                                    "4 weeks", "52 weeks", "520 weeks", "ever"};
  return kNames[static_cast<int>(unit)];
}

int64_t UnitOf(TimeUnit unit, int64_t time) {
  if (unit == TimeUnit::kEver) return 0;
  if (unit == TimeUnit::kHour) return FloorDivide(time, kHour);
  if (unit == TimeUnit::kDay) return FloorDivide(time, kDay);
  if (const int64_t weeks = WeeksOf(unit); weeks > 0) {
    return FloorDivide(FloorDivide(time + kDaysToMonday * kDay, 7 * kDay), weeks);
  }
  return FloorDivide(MonthOf(time), MonthsOf(unit));
}

int64_t BeginOf(TimeUnit unit, int64_t number) {
  if (unit == TimeUnit::kEver) return kYear0 + number * (kYear10000 - kYear0);
  if (unit == TimeUnit::kHour) return number * kHour;
  if (unit == TimeUnit::kDay) return number * kDay;
  if (const int64_t weeks = WeeksOf(unit); weeks > 0) {
    return (7 * weeks * number - kDaysToMonday) * kDay;
  }
  return BeginOfMonth(number * MonthsOf(unit));
}

bool IsInCalendar(int64_t time) { return time >= kYear0 && time < kYear10000; }

TimeUnit Longer(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kHour:
      return TimeUnit::kDay;
    case TimeUnit::kDay:
      return TimeUnit::kMonth;
    case TimeUnit::kWeek:
      return TimeUnit::kFourWeeks;
    case TimeUnit::kMonth:
      return TimeUnit::kQuarter;
    case TimeUnit::kQuarter:
      return TimeUnit::kYear;
    case TimeUnit::kYear:
      return TimeUnit::kDecade;
    case TimeUnit::kDecade:
      return TimeUnit::kCentury;
    case TimeUnit::kFourWeeks:
      return TimeUnit::kFiftyTwoWeeks;
    case TimeUnit::kFiftyTwoWeeks:
      return TimeUnit::kTenTimesFiftyTwoWeeks;
    default:
      return TimeUnit::kEver;
  }
}

bool Divides(TimeUnit shorter, TimeUnit longer) {
  if (shorter == longer || longer == TimeUnit::kEver || shorter == TimeUnit::kHour) return true;
  if (longer == TimeUnit::kHour) return false;
  if (shorter == TimeUnit::kDay) return true;
  if (longer == TimeUnit::kDay || shorter == TimeUnit::kEver) return false;
  const int64_t months = MonthsOf(shorter);
  const int64_t weeks = WeeksOf(shorter);
  return months > 0 ? MonthsOf(longer) % months == 0 && MonthsOf(longer) > 0
                    : WeeksOf(longer) % weeks == 0 && WeeksOf(longer) > 0;
}

}  // namespace sda
