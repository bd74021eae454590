#include "data/tables/csv.h"

#include <algorithm>
#include <utility>

namespace sda {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 17;

}  // namespace

std::string_view Trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

CsvReader::CsvReader(std::unique_ptr<Input> input, char delimiter)
    : input_(std::move(input)), delimiter_(delimiter) {
  while (buffer_.size() < 3 && Refill()) {
  }
  if (buffer_.starts_with("\xef\xbb\xbf")) begin_ = offset_ = 3;
}

void CsvReader::Fail(const std::string& what) const {
  throw InputError(input_->name() + ":" + std::to_string(line_) + ": " + what);
}

bool CsvReader::Refill() {
  if (at_end_) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t used = buffer_.size();
  buffer_.resize(used + kChunkBytes);
  const size_t n = input_->Read(std::span(buffer_).subspan(used));
  buffer_.resize(used + n);
  at_end_ = n == 0;
  return !at_end_;
}

void CsvReader::SkipTo(uint64_t offset, uint64_t line) {
  again_ = false;
  char last = '\n';
  while (offset_ < offset) {
    if (begin_ == buffer_.size() && !Refill()) {
      throw InputError(input_->name() +
                       ": ends before the position to resume from; has it changed?");
    }
    const size_t n = std::min<uint64_t>(offset - offset_, buffer_.size() - begin_);
    begin_ += n;
    offset_ += n;
    last = buffer_[begin_ - 1];
  }
  if (last != '\n' && (begin_ < buffer_.size() || Refill())) {
    if (buffer_[begin_] != '\n') {
      throw InputError(input_->name() + ": the row that was its last has grown since");
    }
    ++begin_;
    ++offset_;
  }
  next_line_ = line;
}

bool CsvReader::WaitForRow(std::chrono::steady_clock::time_point until) {
  if (again_) return true;
  size_t searched = 0;
  while (buffer_.find('\n', begin_ + searched) == std::string::npos) {
    searched = buffer_.size() - begin_;
    if (at_end_ || searched > kMaxRowBytes) return true;  // Next() refuses so long a row
    if (!input_->WaitForBytes(until)) return input_->stopped();
    Refill();
  }
  return true;
}

bool CsvReader::ReadRow() {
  row_.clear();
  line_ = next_line_;
  const uint64_t row_offset = offset_;
  bool quoted = false;
  while (true) {
    size_t end = buffer_.find('\n', begin_);
    while (end == std::string::npos) {
      const size_t searched = buffer_.size() - begin_;  // may come in small pieces
      if (!Refill()) break;
      if (buffer_.size() > kMaxRowBytes + kChunkBytes) Fail("row of more than 16 MiB");
      end = buffer_.find('\n', begin_ + searched);
    }
    if (end == std::string::npos && input_->cut_off()) {
      begin_ = buffer_.size();  // the rest of this row has not arrived: it is not a row
      row_.clear();
      offset_ = row_offset;  // so the lines of it that were read do not count
      next_line_ = line_;
      return false;
    }
    const size_t length = (end == std::string::npos ? buffer_.size() : end + 1) - begin_;
    const char* data = buffer_.data() + begin_;
    if (length == 0) {
      if (quoted) Fail("quoted field has no closing quote");
      return !row_.empty();
    }
    quoted ^= std::count(data, data + length, '"') % 2 == 1;
    row_.append(data, length);
    begin_ += length;
    offset_ += length;
    ++next_line_;
    if (row_.size() > kMaxRowBytes) Fail("row of more than 16 MiB");
    if (quoted) continue;
    if (row_.back() == '\n') row_.pop_back();
    if (!row_.empty() && row_.back() == '\r') row_.pop_back();
    return true;
  }
}

bool CsvReader::Next(std::vector<std::string_view>* fields) {
  fields->clear();
  if (!std::exchange(again_, false) && !ReadRow()) return false;
  if (row_.empty()) {
    // Blank lines may only end a file: elsewhere they could hide a missing value.
    const uint64_t blank = line_;
    while (ReadRow()) {
      if (row_.empty()) continue;
      line_ = blank;
      Fail("empty line, expected a row");
    }
    return false;
  }
  SplitRow(fields);
  return true;
}

void CsvReader::SplitRow(std::vector<std::string_view>* fields) {
  unquoted_.clear();
  unquoted_.reserve(row_.size());  // so that it never moves under the fields
  const std::string_view row = row_;
  size_t i = 0;
  while (true) {
    if (i < row.size() && row[i] == '"') {
      const size_t start = unquoted_.size();
      for (++i;; ++i) {
        if (i >= row.size()) Fail("quoted field has no closing quote");
        if (row[i] != '"') {
          unquoted_ += row[i];
        } else if (i + 1 < row.size() && row[i + 1] == '"') {
          unquoted_ += row[i++];
        } else {
          break;
        }
      }
      ++i;
      if (i < row.size() && row[i] != delimiter_) {
        Fail("text after the closing quote of field " + std::to_string(fields->size() + 1) +
             ", expected " + (delimiter_ == ',' ? "a comma" : "the delimiter"));
      }
      fields->push_back(std::string_view(unquoted_).substr(start));
    } else {
      const size_t end = std::min(row.find(delimiter_, i), row.size());
      fields->push_back(row.substr(i, end - i));
      if (fields->back().find('"') != std::string_view::npos) {
        Fail("quote inside field " + std::to_string(fields->size()) +
             ", which does not begin with one");
      }
      i = end;
    }
    if (i == row.size()) return;
    ++i;  // the delimiter
  }
}

}  // namespace sda
