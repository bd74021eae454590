#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "data/document_reader.h"
#include "data/text/label_fields.h"

namespace sda {
namespace {

constexpr size_t kHeaderBytes = size_t{1} << 16;

// Splits rows with quoted fields (RFC 4180), which may run over several lines. A quote in a field
// that does not begin with one is a character as any other.
class RowReader {
 public:
  explicit RowReader(LineReader* lines) : lines_(*lines) {}

  // The next row that is not blank. False at the end of the input; what is left of a row that was
  // cut off is not a row.
  bool Next(char delimiter, std::vector<std::string>* fields) {
    std::string_view line;
    do {
      if (!lines_.Next(&line)) return false;
    } while (line.empty());
    row_line_ = lines_.line();
    row_bytes_ = 0;
    size_t count = 0;
    size_t at = 0;
    while (true) {
      if (fields->size() <= count) fields->emplace_back();
      std::string& field = (*fields)[count++];
      if (at < line.size() && line[at] == '"') {
        if (!Quoted(delimiter, &line, &at, &field)) return false;
      } else {
        const size_t end = std::min(line.find(delimiter, at), line.size());
        field.assign(line.substr(at, end - at));
        at = end;
      }
      if (at == line.size()) break;
      ++at;  // the delimiter
    }
    fields->resize(count);
    return true;
  }

  uint64_t line() const { return row_line_; }  // where the row begins

 private:
  // From the opening quote to what comes after the closing one.
  bool Quoted(char delimiter, std::string_view* line, size_t* at, std::string* field) {
    field->clear();
    ++*at;
    while (true) {
      const size_t quote = line->find('"', *at);
      if (quote == std::string_view::npos) {
        field->append(line->substr(*at)) += '\n';
        row_bytes_ += line->size() + 1;
        if (row_bytes_ > LineReader::kMaxLineBytes || !lines_.Next(line)) {
          if (lines_.stopped()) return false;
          Unclosed();
        }
        *at = 0;
        continue;
      }
      field->append(line->substr(*at, quote - *at));
      *at = quote + 1;
      if (*at == line->size() || (*line)[*at] == delimiter) return true;
      if ((*line)[*at] != '"') {
        lines_.Fail(fmt::format("text after the closing quote of a field, expected {}",
                                delimiter == '\t' ? "a tab" : fmt::format("'{}'", delimiter)));
      }
      *field += '"';
      ++*at;
    }
  }

  [[noreturn]] void Unclosed() const {
    lines_.FailWhole(fmt::format(
        "a quote in the row that begins in line {} has no closing quote, expected one", row_line_));
  }

  LineReader& lines_;
  uint64_t row_line_ = 0;
  size_t row_bytes_ = 0;  // of the lines before the current one
};

// Short also where the first line is that of a text, whose commas make columns of its sentences.
std::string ListOf(const std::vector<std::string>& columns) {
  constexpr size_t kMost = 20;
  constexpr size_t kLongest = 400;
  std::string list;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i == kMost || list.size() > kLongest) return list + ", ...";
    const std::string shown = Quoted(columns[i]);
    const bool whole = shown.size() == columns[i].size() + 2;
    list += (i == 0 ? "" : ", ") + (whole ? columns[i] : shown);
  }
  return list;
}

// A document a row, in one of the columns that the first line names.
class CsvTextReader : public LineDocumentReader {
 public:
  CsvTextReader(std::unique_ptr<LineReader> lines, const CorpusOptions& options)
      : LineDocumentReader(std::move(lines)),
        rows_(lines_.get()),
        text_name_(options.text_column.empty() ? options.text_field : options.text_column),
        id_name_(options.id_field),
        time_(options.time_field) {
    ReadHeader();
  }

  bool Read(Record* record) override {
    record->Clear();
    if (columns_ == 0 || !rows_.Next(delimiter_, &fields_)) return false;
    if (fields_.size() != columns_) {
      throw InputError(fmt::format("{}:{}: {} fields, expected {} as in the first line",
                                   lines_->input().name(), rows_.line(), fields_.size(), columns_));
    }
    record->number = ++document_;
    record->text = fields_[text_];
    if (!IsValidUtf8(record->text)) {
      record->replaced = ReplaceInvalidUtf8(record->text, &repaired_);
      record->text = repaired_;
    }
    if (id_) record->label.id = fields_[*id_];
    if (time_column_) time_.Set(*lines_, fields_[*time_column_], &record->label);
    return true;
  }

 private:
  // What is between the columns is what gives the one with the text.
  void ReadHeader() {
    const std::string_view head = lines_->Peek(1, kHeaderBytes);
    std::string_view first = head.substr(0, head.find('\n'));
    if (first.ends_with('\r')) first.remove_suffix(1);
    std::vector<std::string> most;
    char best = ',';
    for (const char delimiter : {',', '\t', ';', '|'}) {
      std::vector<std::string> names = Names(first, delimiter);
      const bool has_text = std::find(names.begin(), names.end(), text_name_) != names.end();
      if (names.size() > most.size() || has_text) {
        most = std::move(names);
        best = delimiter;
      }
      if (has_text) break;
    }
    delimiter_ = best;
    if (!rows_.Next(delimiter_, &fields_)) {
      if (lines_->stopped()) return;
      lines_->FailWhole("found nothing, expected a first line with the names of the columns");
    }
    for (std::string& name : fields_) name = Name(name);
    text_ = Find(text_name_, "--text-column", true);
    if (!id_name_.empty()) id_ = Find(id_name_, "--id-field", false);
    if (!time_.name().empty()) time_column_ = Find(time_.name(), "--time-field", false);
    columns_ = fields_.size();
  }

  static std::string Name(std::string_view name) {
    while (name.starts_with(' ') || name.starts_with('"')) name.remove_prefix(1);
    while (name.ends_with(' ') || name.ends_with('"')) name.remove_suffix(1);
    return std::string(name);
  }
  static std::vector<std::string> Names(std::string_view line, char delimiter) {
    std::vector<std::string> names;
    while (true) {
      const size_t end = std::min(line.find(delimiter), line.size());
      names.push_back(Name(line.substr(0, end)));
      if (end == line.size()) return names;
      line.remove_prefix(end + 1);
    }
  }

  size_t Find(const std::string& name, const char* option, bool text) const {
    const auto found = std::find(fields_.begin(), fields_.end(), name);
    if (found != fields_.end()) return found - fields_.begin();
    lines_->Fail(fmt::format(
        "no column \"{}\" in the first line, expected it to be one of {}; name another with {}{}",
        name, ListOf(fields_), option,
        text ? ", or take every line for a document with --format text"
             : fmt::format(", or none with {} ''", option)));
  }

  RowReader rows_;
  const std::string text_name_;
  const std::string id_name_;
  TimeField time_;
  char delimiter_ = ',';
  size_t columns_ = 0;  // 0: stopped before the first line
  size_t text_ = 0;
  std::optional<size_t> id_;
  std::optional<size_t> time_column_;
  std::vector<std::string> fields_;
  std::string repaired_;
};

}  // namespace

std::unique_ptr<DocumentReader> NewCsvTextReader(std::unique_ptr<LineReader> lines,
                                                 const CorpusOptions& options) {
  return std::make_unique<CsvTextReader>(std::move(lines), options);
}

}  // namespace sda
