#include "data/text/markup.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "sda/errors.h"

namespace sda {
namespace {

bool IsLetter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Whether the text has these lower-case letters at this place, in any case.
bool HasAt(std::string_view text, size_t at, std::string_view lower) {
  if (text.size() - at < lower.size()) return false;
  return std::equal(lower.begin(), lower.end(), text.begin() + static_cast<ptrdiff_t>(at),
                    [](char a, char b) { return a == (IsLetter(b) ? b | 32 : b); });
}

size_t FindAnyCase(std::string_view text, size_t at, std::string_view lower) {
  for (; at < text.size(); ++at) {
    if (HasAt(text, at, lower)) return at;
  }
  return std::string_view::npos;
}

void AppendUtf8(uint32_t c, std::string* out) {
  if (c < 0x80) {
    *out += static_cast<char>(c);
  } else if (c < 0x800) {
    *out += {static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
  } else if (c < 0x10000) {
    *out += {static_cast<char>(0xe0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
             static_cast<char>(0x80 | (c & 63))};
  } else {
    *out += {static_cast<char>(0xf0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 63)),
             static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63))};
  }
}

// The end of what begins with the < at this place; `at` itself if that is only a character.
size_t EndOfTag(std::string_view text, size_t at) {
  constexpr size_t kLongestTag = 1 << 14;
  const auto after = [&](size_t from, std::string_view closing) {
    const size_t end = FindAnyCase(text, from, closing);
    return end == std::string_view::npos ? text.size() : end + closing.size();
  };
  if (HasAt(text, at, "<!--")) return after(at, "-->");
  if (HasAt(text, at, "<script")) return after(after(at, "</script"), ">");
  if (HasAt(text, at, "<style")) return after(after(at, "</style"), ">");
  size_t i = at + 1;
  if (i < text.size() && (text[i] == '/' || text[i] == '!' || text[i] == '?')) ++i;
  const size_t name = i;
  while (i < text.size() && (IsLetter(text[i]) || IsDigit(text[i]) || text[i] == '-')) ++i;
  if (i == name || !IsLetter(text[name]) || i == text.size()) return at;
  // So that <someone@example.org> and <http://example.org> are none.
  if (!IsBlank(text[i]) && text[i] != '/' && text[i] != '>') return at;
  const size_t last = std::min(text.size(), at + kLongestTag);
  for (char quote = '\0'; i < last; ++i) {
    if (text[i] == '<') return at;  // so that no text is gone through many times
    if (quote != '\0') {
      if (text[i] == quote) quote = '\0';
    } else if (text[i] == '>') {
      return i + 1;
    } else if ((text[i] == '"' || text[i] == '\'') && text[i - 1] == '=') {
      quote = text[i];
    }
  }
  return at;
}

// Whether what looks like a tag is one of HTML or XML, and not a word in brackets, such as the <GM>
// of business news: it closes another, has attributes, or its name is one that HTML has.
bool IsOfHtml(std::string_view tag) {
  constexpr std::string_view kNames =
      " a abbr article b blockquote body br center code div em font footer form h1 h2 h3 h4 h5 h6 "
      "head header hr html i img input label li link main meta nav ol option p pre script section "
      "small span strong style sub sup table tbody td th thead title tr tt u ul ";
  if (tag.empty()) return false;
  if (tag[1] == '/' || tag[1] == '!' || tag[1] == '?' || tag.find('=') != tag.npos) return true;
  std::string name = " ";
  for (size_t i = 1; i < tag.size() && (IsLetter(tag[i]) || IsDigit(tag[i])); ++i) {
    name += static_cast<char>(IsLetter(tag[i]) ? tag[i] | 32 : tag[i]);
  }
  return kNames.find(name + " ") != kNames.npos;
}

// A letter with an accent: what composes them is done when words are folded.
bool AppendAccented(std::string_view name, std::string* out) {
  constexpr std::array<std::pair<std::string_view, uint32_t>, 8> kAccents = {{{"grave", 0x300},
                                                                              {"acute", 0x301},
                                                                              {"circ", 0x302},
                                                                              {"tilde", 0x303},
                                                                              {"uml", 0x308},
                                                                              {"ring", 0x30a},
                                                                              {"caron", 0x30c},
                                                                              {"cedil", 0x327}}};
  for (const auto& [accent, mark] : kAccents) {
    if (name.size() != accent.size() + 1 || name.substr(1) != accent) continue;
    *out += name[0];
    AppendUtf8(mark, out);
    return true;
  }
  return false;
}

// The character of an entity; a blank for those that are no letters.
void AppendEntity(std::string_view name, std::string* out) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kNamed = {
      {{"amp", "&"},
       {"lt", "<"},
       {"gt", ">"},
       {"quot", "\""},
       {"apos", "'"},
       {"rsquo", "'"},
       {"szlig", "ß"},
       {"aelig", "æ"},
       {"AElig", "Æ"},
       {"oelig", "œ"},
       {"oslash", "ø"},
       {"Oslash", "Ø"},
       {"shy", ""}}};
  if (name.starts_with('#')) {
    const bool hex = name.size() > 1 && (name[1] | 32) == 'x';
    uint32_t code = 0;
    const char* const begin = name.data() + (hex ? 2 : 1);
    const char* const end = name.data() + name.size();
    const auto parsed = std::from_chars(begin, end, code, hex ? 16 : 10);
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    const bool good = parsed.ec == std::errc() && parsed.ptr == end;
    if (good && code >= ' ' && code < 0x110000 && !surrogate) return AppendUtf8(code, out);
  }
  for (const auto& [entity, character] : kNamed) {
    if (entity == name) return static_cast<void>(*out += character);
  }
  if (!AppendAccented(name, out)) *out += ' ';
}

void StripHtml(std::string_view text, std::string* out) {
  constexpr size_t kLongestEntity = 12;
  for (size_t i = 0; i < text.size();) {
    const size_t next = std::min(text.find_first_of("<&", i), text.size());
    out->append(text.substr(i, next - i));
    i = next;
    if (i == text.size()) return;
    if (text[i] == '<') {
      const size_t end = EndOfTag(text, i);
      *out += end == i ? '<' : ' ';
      i = std::max(end, i + 1);
      continue;
    }
    size_t end = i + 1;
    while (end < text.size() && end - i < kLongestEntity &&
           (IsLetter(text[end]) || IsDigit(text[end]) || text[end] == '#')) {
      ++end;
    }
    if (end < text.size() && end > i + 1 && text[end] == ';') {
      AppendEntity(text.substr(i + 1, end - i - 1), out);
      i = end + 1;
    } else {
      *out += text[i++];
    }
  }
}

bool BeginsUrl(std::string_view text, size_t at) {
  if (at > 0 && (IsLetter(text[at - 1]) || IsDigit(text[at - 1]))) return false;
  return HasAt(text, at, "http://") || HasAt(text, at, "https://") || HasAt(text, at, "ftp://") ||
         HasAt(text, at, "www.");
}

void StripUrls(std::string_view text, std::string* out) {
  for (size_t i = 0; i < text.size();) {
    const size_t next = std::min(text.find_first_of("hHfFwW", i), text.size());
    out->append(text.substr(i, next - i));
    i = next;
    if (i == text.size()) return;
    if (!BeginsUrl(text, i)) {
      *out += text[i++];
      continue;
    }
    while (i < text.size() && !IsBlank(text[i]) &&
           std::string_view("<>\"'()[]{}").find(text[i]) == std::string_view::npos) {
      ++i;
    }
    *out += ' ';
  }
}

bool IsOfName(char c) {
  return IsLetter(c) || IsDigit(c) || std::string_view("._%+-").find(c) != std::string_view::npos;
}

// The end of a name of a machine that begins here, such as example.org; `at` if there is none.
size_t EndOfDomain(std::string_view text, size_t at) {
  size_t i = at;
  while (i < text.size() &&
         (IsLetter(text[i]) || IsDigit(text[i]) || text[i] == '.' || text[i] == '-')) {
    ++i;
  }
  while (i > at && !IsLetter(text[i - 1]) && !IsDigit(text[i - 1])) --i;
  const size_t dot = text.substr(at, i - at).rfind('.');
  const bool good = dot != std::string_view::npos && dot > 0 && i - at - dot > 2;
  return good ? i : at;
}

void StripEmails(std::string_view text, std::string* out) {
  for (size_t i = 0; i < text.size();) {
    const size_t next = std::min(text.find('@', i), text.size());
    out->append(text.substr(i, next - i));
    i = next;
    if (i == text.size()) return;
    const size_t end = EndOfDomain(text, i + 1);
    size_t begin = out->size();
    while (begin > 0 && IsOfName((*out)[begin - 1])) --begin;
    if (end == i + 1 || begin == out->size()) {
      *out += text[i++];
      continue;
    }
    out->resize(begin);
    *out += ' ';
    i = end;
  }
}

}  // namespace

Markup Markup::FromNames(const std::string& names) {
  Markup markup;
  std::string_view rest = names;
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view name = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (name == "html") {
      markup.html = true;
    } else if (name == "urls") {
      markup.urls = true;
    } else if (name == "emails") {
      markup.emails = true;
    } else {
      throw UsageError("strip is " + names +
                       ", must be of html, urls and emails, such as html,urls");
    }
  }
  return markup;
}

std::string Markup::Names() const {
  std::string names;
  if (html) names += ",html";
  if (urls) names += ",urls";
  if (emails) names += ",emails";
  return names.empty() ? "" : names.substr(1);
}

std::string_view Strip(std::string_view text, const Markup& chosen, std::string* buffer) {
  std::string stripped;
  for (const auto& [is_chosen, strip] :
       {std::pair{chosen.html, &StripHtml}, std::pair{chosen.urls, &StripUrls},
        std::pair{chosen.emails, &StripEmails}}) {
    if (!is_chosen) continue;
    stripped.clear();
    strip(text, &stripped);
    std::swap(stripped, *buffer);
    text = *buffer;
  }
  return text;
}

Markup MarkupIn(std::string_view text) {
  Markup found;
  for (size_t at = text.find('<'); at < text.size() && !found.html; at = text.find('<', at + 1)) {
    found.html = IsOfHtml(text.substr(at, EndOfTag(text, at) - at));
  }
  for (size_t at = text.find("://"); at < text.size() && !found.urls;
       at = text.find("://", at + 1)) {
    found.urls = at >= 4 && (HasAt(text, at - 4, "http://") || HasAt(text, at - 4, "ttps://"));
  }
  for (size_t at = text.find('@'); at < text.size() && !found.emails; at = text.find('@', at + 1)) {
    found.emails = at > 0 && IsOfName(text[at - 1]) && EndOfDomain(text, at + 1) != at + 1;
  }
  return found;
}

}  // namespace sda
