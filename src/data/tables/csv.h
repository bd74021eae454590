#ifndef SDA_DATA_TABLES_CSV_H_
#define SDA_DATA_TABLES_CSV_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/io/input.h"

namespace sda {

// Without the blanks at both ends.
std::string_view Trim(std::string_view s);

// Splits CSV (RFC 4180) into rows: commas (or another delimiter), quoted fields with doubled quotes
// and line breaks inside, LF or CRLF, an optional byte-order mark. A row longer than kMaxRowBytes
// is refused.
class CsvReader {
 public:
  static constexpr size_t kMaxRowBytes = size_t{1} << 24;

  explicit CsvReader(std::unique_ptr<Input> input, char delimiter = ',');

  // The next row; the fields are valid until the next call. False at the end of the input. Throws
  // InputError naming file and line.
  bool Next(std::vector<std::string_view>* fields);

  // The next call of Next() gives this row again.
  void Unread() { again_ = true; }

  // Waits until Next() need not wait, unless the row continues in another line; false if that takes
  // longer.
  bool WaitForRow(std::chrono::steady_clock::time_point until);

  // Goes to this place, which was line_after() and offset_after() of a reader of the same input.
  void SkipTo(uint64_t offset, uint64_t line);

  uint64_t line() const { return line_; }  // where the row last returned begins, from 1
  uint64_t line_after() const { return next_line_; }
  uint64_t offset_after() const { return offset_; }  // bytes of the decompressed input
  const Input& input() const { return *input_; }

  // Throws InputError: "NAME:LINE: what", for the row last returned.
  [[noreturn]] void Fail(const std::string& what) const;

 private:
  // Puts the next line, with the lines that a quoted field of it runs over, into row_. False at the
  // end of the input.
  bool ReadRow();
  bool Refill();
  void SplitRow(std::vector<std::string_view>* fields);

  std::unique_ptr<Input> input_;
  const char delimiter_;
  bool again_ = false;
  std::string buffer_;
  size_t begin_ = 0;  // of what is not yet used in buffer_
  bool at_end_ = false;
  std::string row_;       // without the line break at its end
  std::string unquoted_;  // holds the quoted fields of the row
  uint64_t line_ = 0;
  uint64_t next_line_ = 1;
  uint64_t offset_ = 0;
};

}  // namespace sda

#endif  // SDA_DATA_TABLES_CSV_H_
