#ifndef SDA_BASE_CALENDAR_H_
#define SDA_BASE_CALENDAR_H_

#include <cstdint>

namespace sda {

// Units of time in UTC. A week begins on Monday. Within a line of these two, each is made of whole
// ones of the units before it:
//   hour, day, month, quarter, year, decade, century, ever
//   hour, day, week, 4 weeks, 52 weeks, 520 weeks, ever
enum class TimeUnit {
  kHour,
  kDay,
  kWeek,
  kMonth,
  kQuarter,
  kYear,
  kDecade,
  kCentury,
  kFourWeeks,
  kFiftyTwoWeeks,
  kTenTimesFiftyTwoWeeks,
  kEver,
};
inline constexpr int kTimeUnits = 12;
const char* UnitName(TimeUnit unit);

// The number of the unit that a time is in, and where that unit begins. Milliseconds since 1970; of
// kEver, which is number 0, where the years 0 and 10000 begin.
int64_t UnitOf(TimeUnit unit, int64_t time);
int64_t BeginOf(TimeUnit unit, int64_t number);

// The years 0 to 9999.
bool IsInCalendar(int64_t time);

// The next longer unit of its line; that of kDay is kMonth.
TimeUnit Longer(TimeUnit unit);
// Whether whole ones of `shorter` make `longer`, or they are the same.
bool Divides(TimeUnit shorter, TimeUnit longer);

}  // namespace sda

#endif  // SDA_BASE_CALENDAR_H_
