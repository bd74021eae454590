#include "data/text/word_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/utf8.h"
#include "data/io/input.h"
#include "data/io/line_reader.h"
#include "data/io/numbers.h"
#include "sda/corpus.h"

namespace sda {
namespace {

std::string_view Trimmed(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

std::vector<std::string> ReadWordFile(const std::string& path) {
  constexpr size_t kMaxWordBytes = 1 << 16;
  LineReader lines(Input::Open(path), kMaxWordBytes);
  std::vector<std::string> words;
  std::string_view line;
  uint64_t blank = 0;
  while (lines.Next(&line)) {
    const std::string_view word = Trimmed(line);
    if (word.empty()) {
      if (blank == 0) blank = lines.line();
      continue;
    }
    if (blank != 0) {
      lines.Fail(
          fmt::format("a word after the blank line {}, expected a word on every line", blank));
    }
    if (word.find('\0') != std::string_view::npos || !IsValidUtf8(word)) {
      lines.Fail(fmt::format("found {}, expected a word in UTF-8", Quoted(word)));
    }
    ExpectRange(lines, "line", lines.line(), 1, kMaxWords);
    words.emplace_back(word);
  }
  if (words.empty()) lines.FailWhole("no word, expected one a line");
  return words;
}

std::string VocabularyBeside(const std::string& docword_path) {
  namespace fs = std::filesystem;
  constexpr std::string_view kPrefix = "docword.";
  const fs::path path(docword_path);
  std::string name = path.filename().string();
  if (!name.starts_with(kPrefix)) return "";
  for (const std::string_view packed : {".gz", ".zst", ".xz", ".bz2"}) {
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  }
  name = "vocab." + name.substr(kPrefix.size());
  for (const char* packed : {"", ".gz", ".zst", ".xz", ".bz2"}) {
    const fs::path beside = path.parent_path() / (name + packed);
    std::error_code ignored;
    if (fs::is_regular_file(beside, ignored)) return beside.string();
  }
  return "";
}

std::vector<uint64_t> ReadDocumentNumbers(const std::string& path) {
  LineReader lines(Input::Open(path));
  std::vector<uint64_t> numbers;
  std::string_view line;
  while (lines.Next(&line)) {
    NumberScanner scanner(line);
    if (scanner.AtEnd()) continue;
    numbers.push_back(ExpectNumber(lines, &scanner, "a document number"));
    ExpectEnd(lines, &scanner);
    ExpectRange(lines, "document number", numbers.back(), 1, INT64_MAX);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace sda
