#ifndef SDA_DATA_IO_NUMBERS_H_
#define SDA_DATA_IO_NUMBERS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "data/io/line_reader.h"

namespace sda {

// A line of numbers, read from left to right. The functions return false, without having moved,
// where they find something else.
class NumberScanner {
 public:
  explicit NumberScanner(std::string_view line)
      : begin_(line.data()), at_(begin_), end_(begin_ + line.size()) {}

  void SkipBlanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }
  bool AtEnd() {
    SkipBlanks();
    return at_ == end_;
  }
  bool Take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  // A whole number of at most 19 digits, followed by a separator or the end.
  bool Number(uint64_t* value) {
    const char* p = at_;
    uint64_t sum = 0;
    while (p != end_ && static_cast<unsigned char>(*p - '0') < 10) sum = sum * 10 + (*p++ - '0');
    constexpr int kDigits = 19;  // always fit into 64 bits
    if (p == at_ || p - at_ > kDigits || !Separates(p)) return false;
    at_ = p;
    *value = sum;
    return true;
  }

  // The same, also written as a real number: 3, 3.0, 3e0.
  bool Count(uint64_t* value) { return Number(value) || RealCount(value); }

  std::string_view rest() const { return {at_, static_cast<size_t>(end_ - at_)}; }
  // The word at this place, for messages.
  std::string_view word() const;

 private:
  bool Separates(const char* p) const { return p == end_ || *p == ' ' || *p == '\t' || *p == ':'; }
  bool RealCount(uint64_t* value);

  const char* begin_;
  const char* at_;
  const char* end_;
};

// Ids fit into 32 bits with room for marks.
inline constexpr uint64_t kMaxWords = uint64_t{1} << 24;
// Of a word in a document.
inline constexpr uint64_t kMaxCount = UINT32_MAX;

// The next number on the line, or an error that shows what was found instead of `what`.
uint64_t ExpectNumber(const LineReader& lines, NumberScanner* scanner, const char* what);
uint64_t ExpectCount(const LineReader& lines, NumberScanner* scanner);
// Fails unless value is between low and high. The message ends with the advice.
void ExpectRange(const LineReader& lines, const char* what, uint64_t value, uint64_t low,
                 uint64_t high, const char* advice = "");
void ExpectEnd(const LineReader& lines, NumberScanner* scanner);

}  // namespace sda

#endif  // SDA_DATA_IO_NUMBERS_H_
