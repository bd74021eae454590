#include "data/text/document_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

namespace sda {
namespace {

constexpr int64_t kSecond = 1000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kDay = 24 * 60 * kMinute;

// Reads text from left to right. What it finds is taken off; else nothing is.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool AtEnd() const { return text_.empty(); }
  size_t Digits() const {
    const size_t end = text_.find_first_not_of("0123456789");
    return std::min(end, text_.size());
  }
  bool Take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool Blanks() {
    const size_t end = std::min(text_.find_first_not_of(" \t"), text_.size());
    text_.remove_prefix(end);
    return end > 0;
  }
  // This number of digits.
  bool Number(size_t digits, int* value) {
    if (Digits() < digits) return false;
    std::from_chars(text_.data(), text_.data() + digits, *value);
    text_.remove_prefix(digits);
    return true;
  }
  bool OneOrTwo(int* value) { return Digits() <= 2 && Number(Digits() == 1 ? 1 : 2, value); }
  std::string_view Letters() {
    size_t end = 0;
    while (end < text_.size() && ((text_[end] | 32) >= 'a' && (text_[end] | 32) <= 'z')) ++end;
    const std::string_view letters = text_.substr(0, end);
    text_.remove_prefix(end);
    return letters;
  }

 private:
  std::string_view text_;
};

bool SameLetters(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return (x | 32) == (y | 32); });
}

// 1 to 12, by the first three letters; 0: it is none.
int Month(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto found = std::find_if(kMonths.begin(), kMonths.end(), [&](std::string_view month) {
    return SameLetters(month, name.substr(0, 3));
  });
  return found == kMonths.end() ? 0 : static_cast<int>(found - kMonths.begin()) + 1;
}

std::optional<int64_t> Day(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (month < 1 || day < 1 || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * kDay;
}

// Hours, minutes and, perhaps, seconds with a fraction; with colons or without.
bool TimeOfDay(Scanner* in, int64_t* sum) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!in->Number(in->Digits() == 1 ? 1 : 2, &hour)) return false;
  const bool colons = in->Take(':');
  if (!in->Number(2, &minute)) return false;
  if ((colons ? in->Take(':') : in->Digits() > 0) && !in->Number(2, &second)) return false;
  int64_t fraction = 0;
  if (in->Take('.') || in->Take(',')) {
    if (in->Digits() == 0) return false;
    int64_t unit = kSecond / 10;
    for (int digit = 0; in->Number(1, &digit); unit /= 10) fraction += digit * unit;
  }
  if (hour > 24 || minute > 59 || second > 60) return false;
  *sum += (int64_t{hour} * 60 + minute) * kMinute + second * kSecond + fraction;
  return true;
}

// Z, +01:00, -0500, +01, GMT, EST, or nothing.
bool Zone(Scanner* in, int64_t* sum) {
  in->Blanks();
  if (in->AtEnd()) return true;
  const bool east = in->Take('+');
  if (east || in->Take('-')) {
    int hour = 0;
    int minute = 0;
    if (!in->Number(2, &hour)) return false;
    if ((in->Take(':') || in->Digits() > 0) && !in->Number(2, &minute)) return false;
    const int64_t offset = (int64_t{hour} * 60 + minute) * kMinute;
    *sum += east ? -offset : offset;
    in->Blanks();
    if (in->Take('(')) {  // a comment that mail has: +0100 (CET)
      in->Letters();
      if (!in->Take(')')) return false;
    }
    return true;
  }
  // Those of RFC 2822, in hours.
  constexpr std::array<std::pair<std::string_view, int>, 12> kZones = {{{"Z", 0},
                                                                        {"UT", 0},
                                                                        {"UTC", 0},
                                                                        {"GMT", 0},
                                                                        {"EST", -5},
                                                                        {"EDT", -4},
                                                                        {"CST", -6},
                                                                        {"CDT", -5},
                                                                        {"MST", -7},
                                                                        {"MDT", -6},
                                                                        {"PST", -8},
                                                                        {"PDT", -7}}};
  const std::string_view name = in->Letters();
  for (const auto& [zone, hours] : kZones) {
    if (!SameLetters(zone, name)) continue;
    *sum -= hours * 60 * kMinute;
    return true;
  }
  return false;
}

// The day, with what follows it: nothing, or a time with a zone or without.
std::optional<int64_t> WithTime(std::optional<int64_t> day, Scanner* in) {
  if (!day) return std::nullopt;
  in->Take(',');
  in->Blanks();
  if (in->AtEnd()) return day;
  if (!TimeOfDay(in, &*day) || !Zone(in, &*day) || !in->AtEnd()) return std::nullopt;
  return day;
}

// A year, or more of a date, and perhaps the time.
std::optional<int64_t> Iso(std::string_view text) {
  Scanner in(text);
  int year = 0;
  int month = 1;
  int day = 1;
  const size_t digits = in.Digits();
  if ((digits != 4 && digits != 8) || !in.Number(4, &year)) return std::nullopt;
  if (digits == 8) {
    in.Number(2, &month);
    in.Number(2, &day);
  } else if (in.Take('-') || in.Take('/')) {
    if (!in.Number(std::min<size_t>(2, std::max<size_t>(1, in.Digits())), &month)) {
      return std::nullopt;
    }
    if ((in.Take('-') || in.Take('/')) &&
        !in.Number(std::min<size_t>(2, std::max<size_t>(1, in.Digits())), &day)) {
      return std::nullopt;
    }
  }
  auto sum = Day(year, month, day);
  if (!sum || in.AtEnd()) return sum;
  if (!in.Take('T') && !in.Take('t') && !in.Blanks()) return std::nullopt;
  if (!TimeOfDay(&in, &*sum) || !Zone(&in, &*sum) || !in.AtEnd()) return std::nullopt;
  return sum;
}

std::optional<int64_t> Rfc2822(std::string_view text) {
  Scanner in(text);
  if (!in.Letters().empty() && !in.Take(',')) return std::nullopt;  // the day of the week
  in.Blanks();
  int day = 0;
  if (!in.OneOrTwo(&day)) return std::nullopt;
  if (!in.Take('-') && !in.Blanks()) return std::nullopt;
  const int month = Month(in.Letters());
  if (month == 0 || (!in.Take('-') && !in.Blanks())) return std::nullopt;
  int year = 0;
  const size_t digits = in.Digits();
  if ((digits != 2 && digits != 4) || !in.Number(digits, &year)) return std::nullopt;
  if (digits == 2) year += year < 50 ? 2000 : 1900;  // as RFC 2822 says
  return WithTime(Day(year, month, day), &in);
}

// January 31, 2026, with a time or none.
std::optional<int64_t> MonthFirst(std::string_view text) {
  Scanner in(text);
  const int month = Month(in.Letters());
  in.Take('.');
  int day = 0;
  if (month == 0 || !in.Blanks() || !in.OneOrTwo(&day)) return std::nullopt;
  in.Take(',');
  int year = 0;
  if (!in.Blanks() || in.Digits() != 4 || !in.Number(4, &year)) return std::nullopt;
  return WithTime(Day(year, month, day), &in);
}

// Sat Jan 31 12:30:05 2026, with a zone before the year or none.
std::optional<int64_t> YearLast(std::string_view text) {
  Scanner in(text);
  if (in.Letters().size() != 3 || !in.Blanks()) return std::nullopt;  // the day of the week
  const int month = Month(in.Letters());
  int day = 0;
  if (month == 0 || !in.Blanks() || !in.OneOrTwo(&day) || !in.Blanks()) return std::nullopt;
  int64_t time = 0;
  if (!TimeOfDay(&in, &time) || !in.Blanks()) return std::nullopt;
  if (in.Digits() == 0 && !Zone(&in, &time)) return std::nullopt;
  in.Blanks();
  int year = 0;
  if (in.Digits() != 4 || !in.Number(4, &year) || !in.AtEnd()) return std::nullopt;
  const auto date = Day(year, month, day);
  return date ? std::optional(*date + time) : std::nullopt;
}

// 31.01.2026, with a time or none.
std::optional<int64_t> WithPoints(std::string_view text) {
  Scanner in(text);
  int day = 0;
  int month = 0;
  int year = 0;
  if (!in.OneOrTwo(&day) || !in.Take('.') || !in.OneOrTwo(&month) || !in.Take('.') ||
      in.Digits() != 4 || !in.Number(4, &year)) {
    return std::nullopt;
  }
  return WithTime(Day(year, month, day), &in);
}

// Since 1970. The unit follows from the size: seconds up to the year 5138.
std::optional<int64_t> Epoch(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  constexpr double kMost = 1e11;  // of one unit
  double milliseconds = value * 1000;
  for (double unit = 1; unit <= 1e6 && std::abs(milliseconds) >= kMost * 1000; unit *= 1000) {
    milliseconds = value / unit;
  }
  if (!(std::abs(milliseconds) < kMost * 1000)) return std::nullopt;
  return std::llround(milliseconds);
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

}  // namespace

std::optional<int64_t> ParseTime(std::string_view text) {
  text = Trimmed(text);
  if (const auto date = Iso(text)) return date;
  if (const auto since_1970 = Epoch(text)) return since_1970;
  for (const auto form : {Rfc2822, MonthFirst, YearLast, WithPoints}) {
    if (const auto date = form(text)) return date;
  }
  return std::nullopt;
}

std::string FormatTime(int64_t milliseconds) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::milliseconds> time{
      std::chrono::milliseconds(milliseconds)};
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const int64_t rest = (time - day).count();
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  rest / (60 * kMinute), rest / kMinute % 60, rest / kSecond % 60);
  if (rest % kSecond != 0) text += fmt::format(".{:03}", rest % kSecond);
  return text + "Z";
}

}  // namespace sda
