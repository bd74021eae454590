#include "data/io/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace sda {
namespace {

constexpr size_t kFirstBufferBytes = size_t{1} << 18;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(std::unique_ptr<Input> input, size_t max_line_bytes)
    : input_(std::move(input)),
      max_line_bytes_(max_line_bytes),
      buffer_(std::min(kFirstBufferBytes, max_line_bytes) + kPadding),
      begin_(buffer_.data()),
      end_(begin_) {
  if (Peek(1, kByteOrderMark.size()) == kByteOrderMark) {
    begin_ += kByteOrderMark.size();
    offset_ += kByteOrderMark.size();
  }
}

bool LineReader::NextSlow(std::string_view* line) {
  size_t searched = 0;
  const void* newline = nullptr;
  const auto check = [&](size_t bytes) {
    if (bytes <= max_line_bytes_) return;
    ++line_;
    Fail(fmt::format("a line of more than {} bytes, expected shorter lines", max_line_bytes_));
  };
  while (newline == nullptr) {
    searched = end_ - begin_;
    check(searched);
    if (!Refill()) break;
    newline = std::memchr(begin_ + searched, '\n', end_ - begin_ - searched);
  }
  if (newline == nullptr && input_->cut_off()) {
    begin_ = end_;
    return false;
  }
  if (newline != nullptr) check(static_cast<const char*>(newline) - begin_);
  Take(newline == nullptr ? end_ : static_cast<const char*>(newline), newline != nullptr, line);
  return true;
}

bool LineReader::Refill() {
  const size_t in_hand = end_ - begin_;
  if (begin_ != buffer_.data()) std::memmove(buffer_.data(), begin_, in_hand);
  if (in_hand + kPadding == buffer_.size()) buffer_.resize(2 * in_hand + kPadding);
  const size_t room = buffer_.size() - kPadding - in_hand;
  const size_t n = input_->Read(std::span(buffer_).subspan(in_hand, room));
  begin_ = buffer_.data();
  end_ = begin_ + in_hand + n;
  return n > 0;
}

bool LineReader::WaitForLine(std::chrono::steady_clock::time_point until) {
  size_t searched = 0;
  while (std::memchr(begin_ + searched, '\n', end_ - begin_ - searched) == nullptr) {
    searched = end_ - begin_;
    if (searched > max_line_bytes_) return true;  // Next() refuses so long a line
    if (!input_->WaitForBytes(until)) return stopped();
    if (!Refill()) return true;
  }
  return true;
}

std::string_view LineReader::Peek(size_t lines, size_t bytes) {
  const auto in_hand = [&] { return std::string_view(begin_, end_ - begin_).substr(0, bytes); };
  const auto enough = [&] {
    return in_hand().size() == bytes ||
           static_cast<size_t>(std::count(begin_, end_, '\n')) >= lines;
  };
  while (!enough() && Refill()) {
  }
  return in_hand();
}

void LineReader::SkipTo(uint64_t offset, uint64_t line) {
  const uint64_t distance = offset - offset_;
  const uint64_t before_last = distance - (distance > 0);  // the last byte should end a line
  const uint64_t in_hand = std::min<uint64_t>(before_last, end_ - begin_);
  begin_ += in_hand;
  if (offset < offset_ || in_hand + input_->Skip(before_last - in_hand) < before_last ||
      (distance > 0 && begin_ == end_ && !Refill())) {
    FailWhole(fmt::format("no byte {} to resume from, expected the file as it was", offset));
  }
  offset_ = offset;
  if (distance > 0 && *begin_++ != '\n' && (begin_ < end_ || Refill())) {
    if (*begin_ != '\n') {
      FailWhole("the line that was its last has grown since, expected a new line after it");
    }
    ++begin_;
    ++offset_;
  }
  line_ = line;
}

void LineReader::Fail(const std::string& what) const {
  throw InputError(fmt::format("{}:{}: {}", input_->name(), line_, what));
}

void LineReader::FailWhole(const std::string& what) const {
  throw InputError(fmt::format("{}: {}", input_->name(), what));
}

}  // namespace sda
