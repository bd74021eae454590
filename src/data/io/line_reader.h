#ifndef SDA_DATA_IO_LINE_READER_H_
#define SDA_DATA_IO_LINE_READER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "data/io/input.h"

namespace sda {

// The lines of an input, straight out of a large buffer: no line is copied.
class LineReader {
 public:
  // A longer line is not a document but a file of another kind, and would have to be held in
  // memory.
  static constexpr size_t kMaxLineBytes = size_t{64} << 20;
  // Bytes after every line that may be read, though they mean nothing (simdjson wants 32).
  static constexpr size_t kPadding = 64;

  explicit LineReader(std::unique_ptr<Input> input, size_t max_line_bytes = kMaxLineBytes);

  // The next line without its end (\n or \r\n), valid until the next call. False at the end of the
  // input. A last line without an end is a line, unless the stream was stopped in the middle of it.
  bool Next(std::string_view* line) {
    if (begin_ == end_ && !Refill()) return false;
    const void* newline = std::memchr(begin_, '\n', end_ - begin_);
    if (newline == nullptr) return NextSlow(line);
    Take(static_cast<const char*>(newline), 1, line);
    return true;
  }

  // Waits until Next() need not wait; false if that takes longer.
  bool WaitForLine(std::chrono::steady_clock::time_point until);

  // The next lines, without consuming them: at least `lines` of them, truncated to `bytes` bytes;
  // fewer only at the end of the input. Does not wait for more of a slow stream than that.
  std::string_view Peek(size_t lines, size_t bytes);

  // Goes to a place that was offset() and line() before. Only forwards.
  void SkipTo(uint64_t offset, uint64_t line);

  uint64_t line() const { return line_; }      // number of the line last read, from 1
  uint64_t offset() const { return offset_; }  // decompressed bytes up to the next line
  bool stopped() const { return input_->stopped(); }
  const Input& input() const { return *input_; }

  // Throws InputError "NAME:LINE: what" for the line last read, or "NAME: what" for the whole.
  [[noreturn]] void Fail(const std::string& what) const;
  [[noreturn]] void FailWhole(const std::string& what) const;

 private:
  void Take(const char* line_end, size_t end_bytes, std::string_view* line) {
    size_t size = line_end - begin_;
    offset_ += size + end_bytes;
    ++line_;
    if (size > 0 && line_end[-1] == '\r') --size;
    *line = std::string_view(begin_, size);
    begin_ = line_end + end_bytes;
  }
  bool NextSlow(std::string_view* line);
  // Reads more bytes after those in the buffer. False at the end of the input.
  bool Refill();

  std::unique_ptr<Input> input_;
  const size_t max_line_bytes_;
  std::vector<char> buffer_;
  const char* begin_;  // what is read but not handed out
  const char* end_;
  uint64_t line_ = 0;
  uint64_t offset_ = 0;
};

}  // namespace sda

#endif  // SDA_DATA_IO_LINE_READER_H_
