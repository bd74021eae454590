#include "data/tables/table_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <span>
#include <utility>

#include "base/safe_file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "data/io/check_inputs.h"
#include "data/io/followed_file.h"
#include "data/io/line_reader.h"

namespace sda {
namespace {

// Where the stream continues: with which minibatch, in which file, from where; and the file that is
// followed, if there is one.
std::string PositionOf(uint64_t next_id, size_t file, uint64_t offset, uint64_t line,
                       const FileIdentity& followed) {
  std::string position = fmt::format("{} {} {} {}", next_id, file, offset, line);
  if (followed.inode == 0) return position;
  for (const uint64_t number : followed.ToNumbers()) position += fmt::format(" {}", number);
  return position;
}

}  // namespace

std::string RowNotes::Examples() const {
  std::string list;
  for (const std::string& note : first) list += (list.empty() ? "" : ", ") + note;
  return rows > first.size() ? list + ", ..." : list;
}

void TableOptions::Validate() const {
  if (inputs.empty()) throw UsageError("no input was given");
  if (minibatch == 0) throw UsageError("minibatch is 0, must be at least 1 row");
  if (!(minibatch_seconds > 0)) {
    throw UsageError(fmt::format("minibatch_seconds is {}, must be above 0", minibatch_seconds));
  }
  if (delimiter == '"' || delimiter == '\n' || delimiter == '\r' || delimiter == 0) {
    throw UsageError("delimiter is a quote, a line end or nothing, must be another character");
  }
  const auto standard_inputs = std::count(inputs.begin(), inputs.end(), "-");
  if (standard_inputs > 1) throw UsageError("standard input (-) is given twice");
}

TableSource::TableSource(TableOptions options, Context context)
    : options_(std::move(options)), context_(std::move(context)) {
  options_.Validate();
  CheckInputs(options_.inputs, options_.follow);
  if (!options_.resume_from.empty()) {
    Seek(options_.resume_from);
    is_there_ = true;
  } else {
    if (options_.follow) HoldFollowed(options_.inputs.back());
    if (!OpenFile(0)) FailStopped();
  }
  CheckOtherHeaders();
}

void TableSource::CheckOtherHeaders() {
  auto current = std::move(reader_);
  for (size_t i = file_ + 1; i < options_.inputs.size(); ++i) {
    if (IsFollowed(i) || !CanReadTwice(options_.inputs[i])) continue;
    ReadHeader(Input::Open(options_.inputs[i], context_));
  }
  reader_ = std::move(current);
}

void TableSource::FailStopped() const {
  throw StoppedAtStart(reader_->input().name() +
                       ": stopped before the first row; nothing was learnt yet");
}

std::string TableSource::StartOf(FileIdentity followed) {
  followed.size = 0;  // whatever was read of it is not learnt from
  return PositionOf(0, 0, 0, 1, followed);
}

void TableSource::HoldFollowed(const std::string& path, uint64_t modified) {
  const std::string& name = options_.inputs.back();
  // One that waits for whoever writes to it, or is not there, is opened when its turn comes.
  if (options_.inputs.size() > 1 && !std::filesystem::is_regular_file(path)) return;
  followed_ = Input::OpenRaw(
      path, context_, name,
      [this](const FileIdentity& file) {
        if (options_.on_start) options_.on_start(StartOf(file));
      },
      modified);
}

bool TableSource::OpenFile(size_t file) {
  file_ = file;
  const std::string& path = options_.inputs[file];
  if (!IsFollowed(file)) return ReadHeader(Input::Open(path, context_));
  if (followed_) return ReadHeader(Input::Decompress(std::move(followed_)));
  return ReadHeader(Input::Open(path, context_, path));
}

bool TableSource::ReadHeader(std::unique_ptr<Input> input) {
  reader_ = std::make_unique<CsvReader>(std::move(input), options_.delimiter);
  if (!reader_->Next(&fields_)) {
    if (context_.StopRequested()) return false;
    throw InputError(reader_->input().name() + ": is empty, expected " +
                     (options_.header == false ? "rows" : "a header line"));
  }
  if (!IsHeader()) {
    reader_->Unread();
    if (header_.empty()) {
      for (size_t i = 1; i <= fields_.size(); ++i) header_.push_back(std::to_string(i));
      ChooseColumns();
    }
    ExpectAllFields();
    return true;
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
    reader_->Fail(fmt::format("header is {}, expected {} as in {}", ListOfColumns(header),
                              ListOfColumns(header_), options_.inputs[0]));
  }
  return true;
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
  if (!peeked_) FailStopped();
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
  table.columns = std::max<size_t>(1, levels_known_ ? columns().size() : columns_.size());
  row_numbers_.clear();
  const uint64_t skipped_before = skipped_.rows;
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
      throw InputError(reader_->input().name() +
                       (skipped_.rows > 0          ? ": every row has a missing value"
                        : options_.header == false ? ": no rows"
                                                   : ": no rows after the header line"));
    }
    return std::nullopt;
  }
  if (!levels_known_) SettleLevels(&table);
  if (options_.kind == ColumnKind::kCategory || options_.classes) PublishCategories();
  if (as_before) cut_as_before_.pop_front();
  const uint64_t id = next_id_++;
  return Minibatch<Table>{id,
                          {.items = table.size(), .skipped = skipped_.rows - skipped_before},
                          Position(),
                          std::move(table)};
}

std::string TableSource::Position() const {
  return PositionOf(next_id_, file_, reader_->offset_after(), reader_->line_after(),
                    followed_ ? followed_->identity() : reader_->input().identity());
}

void TableSource::Resume(const std::string& position, const std::vector<uint64_t>& cut) {
  const bool is_there = std::exchange(is_there_, false) && position == options_.resume_from;
  const bool at_start = position.empty() && next_id_ == 0;
  if (!is_there && !at_start) Seek(position.empty() ? "0 0 0 1" : position);
  ExpectNoneFolded(options_.inputs[file_], from_start_, cut);
  cut_as_before_.assign(cut.begin(), cut.end());
}

void TableSource::Seek(const std::string& position) {
  // As written by PositionOf(): those of a file that is followed may be missing, or some of them.
  uint64_t numbers[4 + FileIdentity::kNumbers] = {};
  const char* at = position.data();
  const char* const end = at + position.size();
  for (size_t i = 0; i < std::size(numbers); ++i) {
    if (at == end && (i == 4 || i >= 4 + FileIdentity::kLeastNumbers)) break;
    const auto parsed = std::from_chars(at, end, numbers[i]);
    if (parsed.ec != std::errc()) throw InputError("bad position \"" + position + "\"");
    at = std::find_if(parsed.ptr, end, [](char c) { return c != ' '; });
  }
  const uint64_t file = numbers[1];
  if (file >= options_.inputs.size() || options_.inputs[file] == "-") {
    throw UsageError("cannot resume in the middle of standard input: give a file");
  }
  FollowedPlace place;
  if (options_.follow) {
    const auto identity =
        FileIdentity::FromNumbers(std::span(numbers).last<FileIdentity::kNumbers>());
    place = FindFollowed(options_.inputs.back(), identity, context_);
    HoldFollowed(place.path, place.from_start ? 0 : identity.modified);
  }
  if (!OpenFile(file)) FailStopped();
  peeked_.reset();
  next_id_ = numbers[0];
  from_start_ = place.from_start && IsFollowed(file);
  // Else it is at the start, after the header line.
  if (numbers[2] > 0 && !from_start_) reader_->SkipTo(numbers[2], numbers[3]);
}

TableSource::Clock::duration TableSource::Patience() const {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(options_.minibatch_seconds, 1e8)));
}

bool TableSource::ReadFields() {
  while (!reader_->Next(&fields_)) {
    const Input& input = reader_->input();
    if (input.stopped() || (file_ + 1 == options_.inputs.size() && !input.continues())) {
      return false;
    }
    if (!(input.continues() ? ReadHeader(input.OpenNext()) : OpenFile(file_ + 1))) return false;
  }
  ExpectAllFields();
  ++row_number_;
  return true;
}

void TableSource::ExpectAllFields() const {
  if (fields_.size() == header_.size()) return;
  reader_->Fail(fmt::format("{}, expected {} as in the {} line",
                            Plural(fields_.size(), "field", "fields"), header_.size(),
                            options_.header == false ? "first" : "header"));
}

bool TableSource::ReadRow(Table* table) {
  while (true) {
    if (!ReadFields()) return false;
    const auto missing = options_.skip_missing ? MissingColumn() : std::nullopt;
    if (!missing) break;
    skipped_.Add(fmt::format("{}:{} (column {})", reader_->input().name(), reader_->line(),
                             Quoted(columns_[*missing])));
  }
  row_numbers_.push_back(row_number_);
  if (columns_.empty()) table->values.push_back(0);
  for (size_t c = 0; c < columns_.size(); ++c) {
    const std::string_view cell = fields_[field_of_column_[c]];
    if (level_of_column_[c] != kNoLevels) {
      ReadLevel(cell, c, table);
      continue;
    }
    const bool is_class = options_.classes && c + 1 == columns_.size();
    table->values.push_back(is_class ? ReadClass(cell, c) : ReadCell(cell, c));
  }
  return true;
}

}  // namespace sda
