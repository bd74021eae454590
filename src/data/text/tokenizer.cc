#include "data/text/tokenizer.h"

#include <array>
#include <cstring>

#include "data/text/remembered_words.h"
#include "data/text/unicode_words.h"

namespace sda {
namespace {

enum CharacterClass : uint8_t {
  kLetter = 1,  // and what ICU has no boundary beside, as if it were one
  kDigit = 2,
  kUnderscore = 4,
  kWordCharacter = kLetter | kDigit | kUnderscore,  // no boundary between any two of these
  kJoinsLetters = 8,                                // no boundary where it stands between letters
  kJoinsDigits = 16,
  kAlphabetic = 32,  // really a letter
};

// Of ASCII characters; nothing for the others.
struct AsciiTable {
  std::array<uint8_t, 256> classes = {};
  std::array<char, 256> lower = {};

  // Which punctuation joins differs between versions of ICU (the colon does or does not, @ is like
  // a letter in one), so the rules come from the version that handles the rest of the text.
  AsciiTable() {
    UnicodeWords icu;
    for (int c = 0; c < 256; ++c) lower[c] = static_cast<char>(c);
    for (int c = 'a'; c <= 'z'; ++c) {
      classes[c] = classes[c - 'a' + 'A'] = kLetter | kAlphabetic;
      lower[c - 'a' + 'A'] = static_cast<char>(c);
    }
    for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit;
    classes['_'] = kUnderscore;
    for (int c = 1; c < 128; ++c) {
      if (classes[c] != 0) continue;
      const char character = static_cast<char>(c);
      if (icu.IsOneSegment(std::string{'a', character})) classes[c] |= kLetter;
      if (icu.IsOneSegment(std::string{'a', character, 'a'})) classes[c] |= kJoinsLetters;
      if (icu.IsOneSegment(std::string{'1', character, '1'})) classes[c] |= kJoinsDigits;
    }
  }
};

const AsciiTable& Ascii() {
  static const AsciiTable table;
  return table;
}

// Taken off the ends of words. At least one letter is left.
bool IsStripped(char c) { return c == '_' || c == '@'; }

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

const char* FindNonAscii(const char* p, const char* end) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  for (; end - p >= 8; p += 8) {
    uint64_t eight;
    std::memcpy(&eight, p, 8);
    if ((eight & kHighBits) != 0) break;
  }
  while (p != end && static_cast<unsigned char>(*p) < 128) ++p;
  return p;
}

}  // namespace

Tokenizer::Tokenizer(int minimum_length, bool gaps)
    : minimum_length_(minimum_length),
      gaps_(gaps),
      unicode_(std::make_unique<RememberedWords>(minimum_length_)) {
  Ascii();
}

Tokenizer::~Tokenizer() = default;

const std::vector<std::string_view>& Tokenizer::Split(std::string_view text) {
  folded_.clear();
  places_.clear();
  words_.clear();
  MixedWords(text);
  for (const Place& place : places_) words_.emplace_back(folded_.data() + place.begin, place.size);
  return words_;
}

void Tokenizer::MixedWords(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const char* const non_ascii = FindNonAscii(at, end);
    if (non_ascii == end) return AsciiWords(at, end);
    const char* begin = non_ascii;
    while (begin != at && !IsBlank(begin[-1])) --begin;
    AsciiWords(at, begin);
    at = non_ascii;
    while (at != end && !IsBlank(*at)) ++at;
    for (const std::string& word : unicode_->Split({begin, static_cast<size_t>(at - begin)})) {
      places_.push_back({folded_.size(), word.size()});
      folded_ += word;
    }
  }
}

void Tokenizer::AsciiWords(const char* begin, const char* end) {
  const AsciiTable& table = Ascii();
  const auto class_of = [&](const char* p) { return table.classes[static_cast<uint8_t>(*p)]; };
  const size_t out_begin = folded_.size();
  folded_.resize(out_begin + (end - begin));  // never more bytes are written than are read
  char* out = folded_.data() + out_begin;

  for (const char* p = begin; p != end;) {
    if ((class_of(p) & kWordCharacter) == 0) {
      if (gaps_ && !IsBlank(*p) && *p != '-' && *p != '\'') places_.push_back({out_begin, 0});
      ++p;
      continue;
    }
    char* const word = out;
    uint8_t seen = 0;
    while (true) {
      uint8_t last = 0;
      for (; p != end && (class_of(p) & kWordCharacter) != 0; ++p) {
        last = class_of(p);
        seen |= last;
        *out++ = table.lower[static_cast<uint8_t>(*p)];
      }
      if (end - p < 2) break;
      const uint8_t next = class_of(p + 1);
      const bool joined = (last & next & kLetter) != 0
                              ? (class_of(p) & kJoinsLetters) != 0
                              : (last & next & kDigit) != 0 && (class_of(p) & kJoinsDigits) != 0;
      if (!joined) break;
      *out++ = *p++;
    }
    if ((seen & kAlphabetic) != 0) {
      Keep(word - folded_.data(), out - folded_.data());
    } else if (gaps_) {
      places_.push_back({out_begin, 0});
    }
  }
  folded_.resize(out - folded_.data());
}

void Tokenizer::Keep(size_t begin, size_t end) {
  while (IsStripped(folded_[begin])) ++begin;
  while (IsStripped(folded_[end - 1])) --end;
  if (end - begin >= minimum_length_) {
    places_.push_back({begin, end - begin});
  } else if (gaps_) {
    places_.push_back({begin, 0});
  }
}

}  // namespace sda
