#ifndef SDA_BASE_TEXT_H_
#define SDA_BASE_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace sda {

// 1234567 as "1,234,567".
inline std::string Grouped(uint64_t n) {
  std::string digits = std::to_string(n);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

// "1 document", "1,234 documents".
inline std::string Plural(uint64_t n, const char* one, const char* many) {
  return Grouped(n) + " " + (n == 1 ? one : many);
}

// What was found, for messages: in quotes, shortened, unprintable bytes as \xNN.
std::string Quoted(std::string_view found);

// The option of the command line that has this key in JSON: half_life is --half-life.
std::string FlagOf(std::string key);

}  // namespace sda

#endif  // SDA_BASE_TEXT_H_
