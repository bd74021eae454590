#include "base/text.h"

#include <fmt/format.h>
#include <unicode/utf8.h>

#include <algorithm>

namespace sda {
namespace {

// Whether a terminal shows this character where it stands: none that moves the cursor, ends a line
// or reorders what is around it (Unicode's bidirectional controls and its two separators), nothing
// that is no character (U+FFFE), and no byte that is not UTF-8, which is -1 here.
bool IsPlain(int32_t c) {
  return c >= 0x20 && !(c >= 0x7f && c <= 0x9f) && c != 0x61c && c != 0x200e && c != 0x200f &&
         !(c >= 0x2028 && c <= 0x202e) && !(c >= 0x2066 && c <= 0x2069) && (c & 0xfffe) != 0xfffe;
}

// Calls use(bytes, character) for each character, -1 for a sequence that is not UTF-8.
template <class Use>
void ForEachCharacter(std::string_view text, Use use) {
  for (size_t from = 0; from < text.size();) {
    size_t at = from;
    UChar32 character = 0;
    U8_NEXT(text.data(), at, text.size(), character);
    use(text.substr(from, at - from), character);
    from = at;
  }
}

// With escapes that bash, zsh and ksh know: one line of plain characters, whatever is in it.
std::string EscapedForShell(std::string_view word) {
  std::string out = "$'";
  ForEachCharacter(word, [&](std::string_view bytes, int32_t character) {
    if (!IsPlain(character)) {
      for (const unsigned char byte : bytes) out += fmt::format("\\{:03o}", byte);
      return;
    }
    if (bytes == "'" || bytes == "\\") out += '\\';
    out += bytes;
  });
  return out + "'";
}

std::string ShellWord(const std::string& word) {
  constexpr char kNeedNoQuotes[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";
  // A word that begins with = is a command's path in zsh.
  if (!word.empty() && word[0] != '=' && word.find_first_not_of(kNeedNoQuotes) == word.npos) {
    return word;
  }
  if (Shown(word) != word) return EscapedForShell(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string Shown(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  ForEachCharacter(text, [&](std::string_view bytes, int32_t character) {
    if (IsPlain(character) || kept.find(bytes) != kept.npos) {
      out += bytes;
    } else if (character > 0xffff) {
      out += fmt::format("\\U{:08x}", character);
    } else if (character >= 0x7f) {
      out += fmt::format("\\u{:04x}", character);  // as in JSON, which stays what it is
    } else {
      for (const unsigned char byte : bytes) out += fmt::format("\\x{:02x}", byte);
    }
  });
  return out;
}

size_t Columns(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](unsigned char byte) { return (byte & 0xC0) != 0x80; });
}

std::string ShellCommand(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + ShellWord(word);
  return out;
}

std::string ShellFile(const std::string& path) {
  return ShellWord(path.starts_with('-') ? "./" + path : path);
}

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string Quoted(std::string_view found) {
  constexpr size_t kShown = 60;
  size_t shown = std::min(kShown, found.size());
  while (shown < found.size() && shown > 0 && (found[shown] & 0xC0) == 0x80) --shown;
  return '"' + Shown(found.substr(0, shown)) + (shown < found.size() ? "...\"" : "\"");
}

std::string FlagOf(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

}  // namespace sda
