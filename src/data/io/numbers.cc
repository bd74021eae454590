#include "data/io/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace sda {

bool NumberScanner::RealCount(uint64_t* value) {
  double real = 0;
  const auto [p, error] = std::from_chars(at_, end_, real);
  constexpr double kExact = 9007199254740992.0;  // doubles below it hold every whole number
  if (error != std::errc() || !Separates(p)) return false;
  if (!(real >= 0 && real < kExact) || real != std::floor(real)) return false;
  at_ = p;
  *value = static_cast<uint64_t>(real);
  return true;
}

std::string_view NumberScanner::word() const {
  const std::string_view all = rest();
  return all.substr(0, all.find_first_of(" \t"));
}

uint64_t ExpectNumber(const LineReader& lines, NumberScanner* scanner, const char* what) {
  uint64_t value = 0;
  scanner->SkipBlanks();
  if (!scanner->Number(&value)) {
    lines.Fail(fmt::format("found {}, expected {}, a whole number",
                           scanner->AtEnd() ? "the end of the line" : Quoted(scanner->word()),
                           what));
  }
  return value;
}

uint64_t ExpectCount(const LineReader& lines, NumberScanner* scanner) {
  uint64_t value = 0;
  scanner->SkipBlanks();
  if (!scanner->Count(&value)) {
    lines.Fail(fmt::format("found {}, expected a count, a whole number from 0 to {}",
                           scanner->AtEnd() ? "the end of the line" : Quoted(scanner->word()),
                           kMaxCount));
  }
  ExpectRange(lines, "count", value, 0, kMaxCount);
  return value;
}

void ExpectRange(const LineReader& lines, const char* what, uint64_t value, uint64_t low,
                 uint64_t high, const char* advice) {
  if (value >= low && value <= high) return;
  lines.Fail(fmt::format("{} {}, expected {} to {}{}", what, value, low, high, advice));
}

void ExpectEnd(const LineReader& lines, NumberScanner* scanner) {
  if (scanner->AtEnd()) return;
  lines.Fail(fmt::format("found {}, expected the end of the line", Quoted(scanner->word())));
}

}  // namespace sda
