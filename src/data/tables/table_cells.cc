// The cells of a TableSource: text to numbers.

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "base/text.h"
#include "base/utf8.h"
#include "data/tables/class_name.h"
#include "data/tables/table_source.h"

namespace sda {
namespace {

std::string Lower(std::string_view s) {
  std::string lower(s);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool IsMissing(std::string_view cell) {
  if (cell.empty()) return true;
  if (cell.size() > 4) return false;
  const std::string lower = Lower(cell);
  return lower == "na" || lower == "n/a" || lower == "nan" || lower == "null" || lower == "none";
}

}  // namespace

double TableSource::ReadClass(std::string_view cell, size_t column) {
  cell = Trim(cell);
  if (IsMissing(cell)) FailCell(cell, column, "a class");
  if (!IsValidUtf8(cell)) FailCell(cell, column, "UTF-8");
  Dictionary* classes = &categories_[column];
  const size_t number = ClassNumber(cell, classes);
  if (number > 1) FailCell(cell, column, ExpectedClasses(*classes).c_str());
  return static_cast<double>(number);
}

double TableSource::ReadCell(std::string_view cell, size_t column) {
  cell = Trim(cell);
  switch (options_.kind) {
    case ColumnKind::kCategory:
      if (cell.empty()) FailCell(cell, column, "a category");
      if (!IsValidUtf8(cell)) FailCell(cell, column, "UTF-8");
      return static_cast<double>(categories_[column].NumberOf(std::string(cell)));
    case ColumnKind::kBinary: {
      const std::string lower = Lower(cell);
      if (lower == "1" || lower == "true") return 1;
      if (lower == "0" || lower == "false") return 0;
      FailCell(cell, column, "0 or 1");
    }
    case ColumnKind::kCount: {
      const double value = ReadNumber(cell, column);
      constexpr double kExact = 9007199254740992;  // 2^53: beyond it whole numbers have gaps
      if (value < 0 || value > kExact || value != std::floor(value)) {
        FailCell(cell, column, "a whole number of at least 0");
      }
      return value;
    }
    case ColumnKind::kNumber:
      return ReadNumber(cell, column);
  }
  throw std::logic_error("unknown kind of column");
}

double TableSource::ReadNumber(std::string_view cell, size_t column) const {
  std::string_view digits = cell;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size() ||
      !std::isfinite(value)) {
    FailCell(cell, column, "a finite number");
  }
  // Its square must be a number, too.
  if (value != 0 && (std::abs(value) > kLargestNumber || std::abs(value) < kLeastNumber)) {
    FailCell(cell, column, "0 or a number between 1e-150 and 1e150");
  }
  if (!centre_.empty() &&
      !(std::abs(value - centre_[PlaceOf(column)]) <= reach_[PlaceOf(column)])) {
    FailCell(cell, column, expected_.c_str());
  }
  return value;
}

std::optional<size_t> TableSource::MissingColumn() const {
  for (size_t c = 0; c < columns_.size(); ++c) {
    const std::string_view cell = Trim(fields_[field_of_column_[c]]);
    // Text may be the word "none".
    const bool text = options_.kind == ColumnKind::kCategory || level_of_column_[c] != kNoLevels;
    if (text ? cell.empty() : IsMissing(cell)) return c;
  }
  return std::nullopt;
}

void TableSource::FailCell(std::string_view cell, size_t column, const char* expected) const {
  if (IsMissing(cell)) {
    reader_->Fail(
        fmt::format("column {}: missing value, expected {}; --missing skip leaves out "
                    "rows with one",
                    Quoted(columns_[column]), expected));
  }
  const bool may_be_text = options_.kind == ColumnKind::kNumber && !options_.target.empty() &&
                           columns_[column] != options_.target && centre_.empty();
  reader_->Fail(fmt::format("column {}: found {}, expected {}{}", Quoted(columns_[column]),
                            Quoted(cell), expected,
                            may_be_text ? "; if it is a column of text: --one-hot" : ""));
}

}  // namespace sda
