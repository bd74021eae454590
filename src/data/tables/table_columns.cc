// The columns of a TableSource: whether a line names them, and those that are text.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "base/text.h"
#include "base/utf8.h"
#include "data/io/line_reader.h"
#include "data/tables/table_source.h"

namespace sda {
namespace {

bool IsNumber(std::string_view text) {
  double value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

bool IsWhole(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Where each of many names stands, found without a look at all of them.
class NamedPlaces {
 public:
  using Place = std::pair<std::string_view, size_t>;

  // The names must outlive this.
  explicit NamedPlaces(const std::vector<std::string>& names) {
    places_.reserve(names.size());
    for (size_t i = 0; i < names.size(); ++i) places_.emplace_back(names[i], i);
    std::sort(places_.begin(), places_.end());
  }
  std::span<const Place> Of(std::string_view name) const {
    const auto before = [](const Place& a, const Place& b) { return a.first < b.first; };
    const auto [begin, end] =
        std::equal_range(places_.begin(), places_.end(), Place(name, 0), before);
    return {begin, end};
  }

 private:
  std::vector<Place> places_;
};

std::string DelimiterHint(char delimiter) {
  return fmt::format("; is the delimiter another one? --delimiter {}",
                     delimiter == '\t' ? "tab" : fmt::format("'{}'", delimiter));
}

}  // namespace

std::string ListOfColumns(const std::vector<std::string>& names) {
  constexpr size_t kShown = 12;
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    list += (i == 0 ? "" : ", ") + Quoted(names[i]);
  }
  if (names.size() > kShown) list += fmt::format(" and {} more", names.size() - kShown);
  return list;
}

bool TableSource::IsHeader() const {
  if (options_.header) return *options_.header;
  size_t numbers = 0;
  std::string_view fraction;
  for (const std::string_view field : fields_) {
    const std::string_view name = Trim(field);
    if (!IsNumber(name)) continue;
    ++numbers;
    if (!IsWhole(name) && fraction.empty()) fraction = name;
  }
  if (numbers == 0) return true;
  if (numbers < fields_.size() && fraction.empty()) {
    if (header_.empty()) {
      context_.Log(reader_->input().name() +
                   ": the first line is taken for the names of the columns, though some are "
                   "numbers; if it is data: --no-header");
    }
    return true;
  }
  reader_->Fail(fmt::format(
      "the first line {}, so it may be data, not the names of the columns: give --no-header if it "
      "is data (the columns are then called 1, 2, ...), --header if not",
      numbers == fields_.size() ? "is all numbers" : "holds " + Quoted(fraction)));
}

void TableSource::ChooseColumns() {
  columns_ = options_.columns;
  if (columns_.empty() && !options_.no_columns) {
    for (const std::string& name : header_) {
      if (options_.target.empty() || name != options_.target) columns_.push_back(name);
    }
  }
  if (!options_.target.empty()) columns_.push_back(options_.target);
  const bool one_field = header_.size() == 1 && options_.delimiter == ',';
  const size_t other = one_field ? header_[0].find_first_of(";\t|") : std::string::npos;
  const NamedPlaces places(header_);
  for (const std::string& name : columns_) {
    const auto found = places.Of(name);
    if (found.empty()) {
      reader_->Fail(
          fmt::format("no column {}; the columns are {}{}", Quoted(name), ListOfColumns(header_),
                      other == std::string::npos ? "" : DelimiterHint(header_[0][other])));
    }
    if (found.size() > 1) reader_->Fail(fmt::format("column {} appears twice", Quoted(name)));
    field_of_column_.push_back(found[0].second);
  }
  const NamedPlaces requested(columns_);
  for (const std::string& name : columns_) {
    if (requested.Of(name).size() > 1) {
      throw UsageError(fmt::format("column {} is requested twice", Quoted(name)));
    }
  }
  if (columns_.size() == 1 && columns_ == header_ && other != std::string::npos) {
    reader_->Fail(fmt::format("there is one column, {}{}", Quoted(header_[0]),
                              DelimiterHint(header_[0][other])));
  }
  FindOneHotColumns();
  categories_ = options_.categories;
  categories_.resize(columns_.size());
  PublishCategories();
}

void TableSource::FindOneHotColumns() {
  level_of_column_.assign(columns_.size(), kNoLevels);
  for (const OneHotColumn& text : options_.one_hot) {
    const auto found = std::find(columns_.begin(), columns_.end(), text.column);
    if (found == columns_.end() || text.column == options_.target) {
      reader_->Fail(
          fmt::format("no column {} to make columns of 0 and 1 of; the columns that are "
                      "used are {}",
                      Quoted(text.column), ListOfColumns(columns_)));
    }
    level_of_column_[found - columns_.begin()] = levels_.size();
    levels_.emplace_back(text);
    levels_known_ = levels_known_ && levels_.back().known();
  }
}

std::vector<std::string> TableSource::columns() const {
  if (levels_.empty()) return columns_;
  std::vector<std::string> names;
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (level_of_column_[c] == kNoLevels || !levels_[level_of_column_[c]].known()) {
      names.push_back(columns_[c]);
      continue;
    }
    const auto levels = levels_[level_of_column_[c]].column().Names();
    names.insert(names.end(), levels.begin(), levels.end());
  }
  return names;
}

std::vector<OneHotColumn> TableSource::one_hot() const {
  std::vector<OneHotColumn> columns;
  for (const LevelReader& level : levels_) columns.push_back(level.column());
  return columns;
}

size_t TableSource::PlaceOf(size_t column) const {
  if (levels_.empty()) return column;
  size_t place = 0;
  for (size_t c = 0; c < column; ++c) {
    place += level_of_column_[c] == kNoLevels ? 1 : levels_[level_of_column_[c]].column().width();
  }
  return place;
}

void TableSource::ReadLevel(std::string_view cell, size_t column, Table* table) {
  cell = Trim(cell);
  if (cell.empty()) FailCell(cell, column, "a level");
  if (!IsValidUtf8(cell)) FailCell(cell, column, "UTF-8");
  LevelReader& levels = levels_[level_of_column_[column]];
  if (!levels_known_) {
    // Whether all of them are declared or not: SettleLevels() makes the columns.
    table->values.push_back(static_cast<double>(levels.Learn(cell)));
    if (!levels.known() && levels.learnt() > LevelReader::kMostLevels) {
      reader_->Fail(fmt::format("column {} has more than {} levels; is it a name or a number?",
                                Quoted(columns_[column]), Grouped(LevelReader::kMostLevels)));
    }
  } else if (!levels.Append(cell, &table->values)) {
    unknown_levels_.Add(fmt::format("{}:{} ({} {})", reader_->input().name(), reader_->line(),
                                    columns_[column], Quoted(cell)));
  }
}

void TableSource::SettleLevels(Table* table) {
  for (LevelReader& levels : levels_) {
    if (!levels.known()) levels.Settle();
  }
  levels_known_ = true;
  Table settled;
  settled.columns = std::max<size_t>(1, columns().size());
  for (size_t i = 0; i < table->size(); ++i) {
    const auto row = table->row(i);
    for (size_t c = 0; c < row.size(); ++c) {
      if (level_of_column_[c] == kNoLevels) {
        settled.values.push_back(row[c]);
      } else {
        const LevelReader& levels = levels_[level_of_column_[c]];
        if (!levels.AppendLearnt(static_cast<size_t>(row[c]), &settled.values)) {
          unknown_levels_.Add(fmt::format("row {} ({})", row_numbers_[i], columns_[c]));
        }
      }
    }
  }
  *table = std::move(settled);
}

}  // namespace sda
