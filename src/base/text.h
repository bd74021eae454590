#ifndef SDA_BASE_TEXT_H_
#define SDA_BASE_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

// What was found, for messages: in quotes, shortened, as Shown().
std::string Quoted(std::string_view found);

// For a terminal or a message: characters that would act instead of being shown (escape sequences,
// line ends, bidirectional controls) as \xNN or \uNNNN, and so bytes that are not UTF-8; except
// the characters in `kept`. Other text is not changed.
std::string Shown(std::string_view text, std::string_view kept = "");
// Columns that such text takes on a terminal, one for each character.
size_t Columns(std::string_view text);

// A command as typed in a shell, quoted where needed: always one line, and nothing in it runs.
std::string ShellCommand(const std::vector<std::string>& words);
// A file's name in such a command, also if it looks like an option.
std::string ShellFile(const std::string& path);

// A field of a CSV file, in quotes if it needs them.
std::string CsvField(const std::string& text);

// The option of the command line that has this key in JSON: half_life is --half-life.
std::string FlagOf(std::string key);

}  // namespace sda

#endif  // SDA_BASE_TEXT_H_
