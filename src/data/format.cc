#include "data/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "data/io/numbers.h"

namespace sda {
namespace {

// Lines that distinguish UCI from all other formats: three of the header and one of the body.
constexpr size_t kTellingLines = 4;
constexpr size_t kHeadBytes = size_t{1} << 16;

// The lines of the head that are not blank; the last one only if it is whole or the only one.
std::vector<std::string_view> LinesOf(std::string_view head, bool whole) {
  std::vector<std::string_view> lines;
  while (!head.empty()) {
    const size_t newline = head.find('\n');
    const bool cut = newline == std::string_view::npos;
    if (cut && !whole && !lines.empty()) break;
    std::string_view line = head.substr(0, newline);
    head.remove_prefix(cut ? head.size() : newline + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!NumberScanner(line).AtEnd()) lines.push_back(line);
  }
  return lines;
}

// How many numbers the line has; 0 if it has anything else.
size_t CountNumbers(std::string_view line) {
  NumberScanner scanner(line);
  size_t numbers = 0;
  for (; !scanner.AtEnd(); ++numbers) {
    uint64_t value = 0;
    if (!scanner.Number(&value)) return 0;
  }
  return numbers;
}

bool IsUci(const std::vector<std::string_view>& lines) {
  if (lines.size() < 3) return false;
  for (size_t i = 0; i < 3; ++i) {
    if (CountNumbers(lines[i]) != 1) return false;
  }
  return lines.size() == 3 || lines[3].find(':') == std::string_view::npos;
}

bool IsNumeric(std::string_view word) {
  return !word.empty() && word.find_first_not_of("+-.0123456789eE") == std::string_view::npos &&
         word.find_first_of("0123456789") != std::string_view::npos;
}

enum class Pairs { kOther, kNumberOnly, kSome, kAsPromised };

// Whether the line is `number id:number id:number ...`, and whether the number counts the pairs.
Pairs PairsOf(std::string_view line) {
  line = line.substr(0, line.find('#'));
  NumberScanner scanner(line);
  scanner.SkipBlanks();
  const std::string_view label = scanner.word();
  if (!IsNumeric(label)) return Pairs::kOther;
  uint64_t pairs = 0;
  scanner = NumberScanner(scanner.rest().substr(label.size()));
  for (; !scanner.AtEnd(); ++pairs) {
    const std::string_view pair = scanner.word();
    const size_t colon = pair.find(':');
    if (colon == std::string_view::npos) return Pairs::kOther;
    if (!IsNumeric(pair.substr(0, colon)) && pair.substr(0, colon) != "qid") return Pairs::kOther;
    scanner = NumberScanner(scanner.rest().substr(pair.size()));
  }
  if (pairs == 0) return Pairs::kNumberOnly;
  uint64_t promised = 0;
  NumberScanner first(label);
  return first.Number(&promised) && promised == pairs ? Pairs::kAsPromised : Pairs::kSome;
}

// kAuto if it is neither.
CorpusFormat LdacOrSvmlight(const std::vector<std::string_view>& lines, const std::string& name) {
  size_t pairs = 0;
  size_t as_promised = 0;
  for (const std::string_view line : lines) {
    if (line.starts_with('#')) continue;
    const Pairs found = PairsOf(line);
    if (found == Pairs::kNumberOnly) continue;  // an empty document of either
    if (found == Pairs::kOther) break;  // if not the first: the reader will report the error
    ++pairs;
    as_promised += found == Pairs::kAsPromised;
  }
  if (pairs == 0) return CorpusFormat::kAuto;
  if (name.find(".svm") != std::string::npos || name.find(".libsvm") != std::string::npos) {
    return CorpusFormat::kSvmlight;
  }
  if (name.find(".ldac") != std::string::npos || 2 * as_promised > pairs)
    return CorpusFormat::kLdac;
  return CorpusFormat::kSvmlight;
}

bool HasLetter(std::string_view head) {
  return std::any_of(head.begin(), head.end(), [](unsigned char c) {
    return c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

// By the name, compressed or not.
bool IsCsvName(std::string_view name) {
  for (const std::string_view packed : {".gz", ".zst", ".xz", ".bz2"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  return name.ends_with(".csv") || name.ends_with(".tsv") || name.ends_with(".CSV") ||
         name.ends_with(".TSV");
}

bool IsColumnName(std::string_view name) {
  constexpr size_t kLongest = 40;
  if (name.size() > 2 && name.starts_with('"') && name.ends_with('"')) {
    name = name.substr(1, name.size() - 2);
  }
  return !name.empty() && name.size() <= kLongest && HasLetter(name.substr(0, 1)) &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return HasLetter({&c, 1}) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
         });
}

bool AreColumnNames(std::string_view line, char delimiter) {
  while (true) {
    const size_t end = std::min(line.find(delimiter), line.size());
    if (!IsColumnName(line.substr(0, end))) return false;
    if (end == line.size()) return true;
    line.remove_prefix(end + 1);
  }
}

}  // namespace

bool LooksLikeCsv(std::string_view first, std::string_view second) {
  for (const char delimiter : {',', '\t', ';', '|'}) {
    const auto in_first = std::count(first.begin(), first.end(), delimiter);
    const auto in_second = std::count(second.begin(), second.end(), delimiter);
    if (in_first > 0 && in_second >= in_first) return AreColumnNames(first, delimiter);
  }
  return false;
}

CorpusFormat DetectFormat(LineReader* reader, const std::string& text_column) {
  const std::string_view head = reader->Peek(kTellingLines, kHeadBytes);
  const std::vector<std::string_view> lines = LinesOf(head, head.size() < kHeadBytes);
  const auto fail = [&](const std::string& found) {
    reader->FailWhole(
        fmt::format("found {}, expected one of the formats uci, ldac, mm, svmlight, jsonl, text, "
                    "csv; if it is one of them, name it (--format)",
                    found));
  };
  if (lines.empty() && reader->stopped()) return CorpusFormat::kText;  // any format will do
  if (lines.empty()) fail("nothing");
  const std::string_view first = lines[0].substr(lines[0].find_first_not_of(" \t"));
  if (first.starts_with("%%MatrixMarket")) return CorpusFormat::kMatrixMarket;
  if (head.find('\0') != std::string_view::npos) fail("binary data (or UTF-16)");
  if (first.starts_with('{')) return CorpusFormat::kJsonLines;
  if (!text_column.empty()) return CorpusFormat::kCsv;
  if (first == "[" || first.starts_with("[{")) fail("one JSON array");
  if (IsUci(lines)) return CorpusFormat::kUci;
  const CorpusFormat pairs = LdacOrSvmlight(lines, reader->input().name());
  if (pairs != CorpusFormat::kAuto) return pairs;
  if (!HasLetter(head)) fail(fmt::format("{} and no letters", Quoted(lines[0])));
  return IsCsvName(reader->input().name()) ? CorpusFormat::kCsv : CorpusFormat::kText;
}

}  // namespace sda
