#include "data/tables/table_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/utf8.h"
#include "data/io/line_reader.h"

namespace sda {
namespace {

// The first of the names, for messages.
std::string ListOf(const std::vector<std::string>& names) {
  constexpr size_t kShown = 12;
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    list += (i == 0 ? "" : ", ") + Quoted(names[i]);
  }
  if (names.size() > kShown) list += fmt::format(" and {} more", names.size() - kShown);
  return list;
}

}  // namespace

void TableOptions::Validate() const {
  if (inputs.empty()) throw UsageError("no input was given");
  if (minibatch == 0) throw UsageError("minibatch is 0, must be at least 1 row");
  if (!(minibatch_seconds > 0)) {
    throw UsageError(fmt::format("minibatch_seconds is {}, must be above 0", minibatch_seconds));
  }
  const auto standard_inputs = std::count(inputs.begin(), inputs.end(), "-");
  if (standard_inputs > 1) throw UsageError("standard input (-) is given twice");
}

TableSource::TableSource(TableOptions options, Context context)
    : options_(std::move(options)), context_(std::move(context)) {
  options_.Validate();
  if (!options_.resume_from.empty()) {
    Seek(options_.resume_from);
    is_there_ = true;
  } else if (!OpenFile(0)) {
    throw StoppedAtStart(reader_->input().name() +
                         ": stopped before the first row; nothing was saved");
  }
}

bool TableSource::OpenFile(size_t file, const std::string& path) {
  file_ = file;
  std::optional<std::string> follow;
  if (IsFollowed(file)) follow = options_.inputs[file];
  return ReadHeader(Input::Open(path, context_, follow));
}

bool TableSource::ReadHeader(std::unique_ptr<Input> input) {
  reader_ = std::make_unique<CsvReader>(std::move(input));
  if (!reader_->Next(&fields_)) {
    if (context_.StopRequested()) return false;
    throw InputError(reader_->input().name() + ": is empty, expected a header line");
  }
  std::vector<std::string> header;
  for (const std::string_view field : fields_) {
    if (!IsValidUtf8(field)) reader_->Fail("column name " + Quoted(field) + " is not UTF-8");
    header.emplace_back(Trim(field));
  }
  if (header_.empty()) {
    header_ = std::move(header);
    ChooseColumns();
  } else if (header != header_) {
    reader_->Fail(fmt::format("header is {}, expected {} as in {}", ListOf(header), ListOf(header_),
                              options_.inputs[0]));
  }
  return true;
}

void TableSource::ChooseColumns() {
  columns_ = options_.columns;
  if (columns_.empty() && !options_.no_columns) {
    for (const std::string& name : header_) {
      if (options_.target.empty() || name != options_.target) columns_.push_back(name);
    }
  }
  if (!options_.target.empty()) columns_.push_back(options_.target);
  for (const std::string& name : columns_) {
    const auto found = std::find(header_.begin(), header_.end(), name);
    if (found == header_.end()) {
      reader_->Fail(fmt::format("no column {}; the columns are {}", Quoted(name), ListOf(header_)));
    }
    if (std::count(header_.begin(), header_.end(), name) > 1) {
      reader_->Fail(fmt::format("column \"{}\" appears twice", name));
    }
    if (std::count(columns_.begin(), columns_.end(), name) > 1) {
      throw UsageError(fmt::format("column \"{}\" is requested twice", name));
    }
    field_of_column_.push_back(found - header_.begin());
  }
  categories_ = options_.categories;
  categories_.resize(columns_.size());
  PublishCategories();
}

void TableSource::PublishCategories() {
  std::lock_guard lock(mutex_);
  category_names_.resize(categories_.size());
  for (size_t c = 0; c < categories_.size(); ++c) {
    const auto& names = categories_[c].names();
    auto& published = category_names_[c];
    published.insert(published.end(), names.begin() + published.size(), names.end());
  }
}

std::vector<std::vector<std::string>> TableSource::CategoryNames() const {
  std::lock_guard lock(mutex_);
  return category_names_;
}

std::optional<Minibatch<Table>> TableSource::Next() {
  if (peeked_) return std::exchange(peeked_, std::nullopt);
  if (context_.StopRequested()) return std::nullopt;
  return ReadMinibatch();
}

const Table& TableSource::Peek() {
  if (!peeked_) peeked_ = ReadMinibatch();
  if (!peeked_)
    throw StoppedAtStart(reader_->input().name() +
                         ": stopped before the first row; nothing was saved");
  return peeked_->data;
}

void TableSource::Limit(std::vector<double> centre, std::vector<double> reach,
                        std::string expected) {
  centre_ = std::move(centre);
  reach_ = std::move(reach);
  expected_ = std::move(expected);
}

std::optional<Minibatch<Table>> TableSource::ReadMinibatch() {
  Table table;
  table.columns = std::max<size_t>(1, columns_.size());
  const bool is_first = next_id_ == 0 && options_.first_minibatch > 0;
  const bool as_before = !cut_as_before_.empty();
  const size_t rows = as_before  ? cut_as_before_.front()
                      : is_first ? options_.first_minibatch
                                 : options_.minibatch;
  const bool by_time = options_.follow && !is_first && !as_before;
  std::optional<Clock::time_point> until;
  while (table.size() < rows) {
    if (by_time && table.size() > 0) {
      if (!until) until = Clock::now() + Patience();
      if (Clock::now() >= *until || !reader_->WaitForRow(*until)) break;
    }
    if (!ReadRow(&table)) break;
  }
  // A file that was larger before must never be taken for the same one.
  if (as_before && table.size() < rows && context_.StopRequested()) return std::nullopt;
  if (table.size() == 0) {
    if (next_id_ == 0 && !context_.StopRequested()) {
      throw InputError(reader_->input().name() + ": no rows after the header line");
    }
    return std::nullopt;
  }
  if (options_.kind == ColumnKind::kCategory || options_.classes) PublishCategories();
  if (as_before) cut_as_before_.pop_front();
  const uint64_t id = next_id_++;
  return Minibatch<Table>{id, {.items = table.size()}, Position(), std::move(table)};
}

std::string TableSource::Position() const {
  std::string position =
      fmt::format("{} {} {} {}", next_id_, file_, reader_->offset_after(), reader_->line_after());
  const FileIdentity file = reader_->input().identity();
  if (file.inode == 0) return position;
  for (const uint64_t number : file.ToNumbers()) position += fmt::format(" {}", number);
  return position;
}

void TableSource::Resume(const std::string& position, const std::vector<uint64_t>& cut) {
  const bool is_there = std::exchange(is_there_, false) && position == options_.resume_from;
  const bool at_start = position.empty() && next_id_ == 0;
  if (!is_there && !at_start) Seek(position.empty() ? "0 0 0 1" : position);
  ExpectNoneFolded(options_.inputs[file_], from_start_, cut);
  cut_as_before_.assign(cut.begin(), cut.end());
}

void TableSource::Seek(const std::string& position) {
  // As written by Position(): those of a file that is followed may be missing, or the last of them.
  uint64_t numbers[4 + FileIdentity::kNumbers] = {};
  const char* at = position.data();
  const char* const end = at + position.size();
  for (uint64_t& number : numbers) {
    if (at == end && (&number == &numbers[4] || &number == std::end(numbers) - 1)) break;
    const auto parsed = std::from_chars(at, end, number);
    if (parsed.ec != std::errc()) throw InputError("bad position \"" + position + "\"");
    at = std::find_if(parsed.ptr, end, [](char c) { return c != ' '; });
  }
  const uint64_t file = numbers[1];
  if (file >= options_.inputs.size() || options_.inputs[file] == "-") {
    throw UsageError("cannot resume in the middle of standard input: give a file");
  }
  FollowedPlace place{options_.inputs[file]};
  if (IsFollowed(file)) {
    const auto identity = std::span(numbers).last<FileIdentity::kNumbers>();
    place = FindFollowed(place.path, FileIdentity::FromNumbers(identity));
  }
  if (!OpenFile(file, place.path)) {
    throw StoppedAtStart(reader_->input().name() +
                         ": stopped before the first row; nothing was saved");
  }
  peeked_.reset();
  next_id_ = numbers[0];
  from_start_ = place.from_start;
  if (numbers[2] == 0) return;  // the start, after the header line
  if (!place.from_start) return reader_->SkipTo(numbers[2], numbers[3]);
  context_.Log(place.path +
               ": was truncated since the checkpoint; it is read from its start again");
}

TableSource::Clock::duration TableSource::Patience() const {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(options_.minibatch_seconds, 1e8)));
}

bool TableSource::ReadRow(Table* table) {
  while (!reader_->Next(&fields_)) {
    const Input& input = reader_->input();
    if (input.stopped() || (file_ + 1 == options_.inputs.size() && !input.continues())) {
      return false;
    }
    if (!(input.continues() ? ReadHeader(input.OpenNext()) : OpenFile(file_ + 1))) return false;
  }
  if (fields_.size() != header_.size()) {
    reader_->Fail(fmt::format("{} fields, expected {} as in the header line", fields_.size(),
                              header_.size()));
  }
  if (columns_.empty()) table->values.push_back(0);
  for (size_t c = 0; c < columns_.size(); ++c) {
    const std::string_view cell = fields_[field_of_column_[c]];
    const bool is_class = options_.classes && c + 1 == columns_.size();
    table->values.push_back(is_class ? ReadClass(cell, c) : ReadCell(cell, c));
  }
  return true;
}

}  // namespace sda
