#ifndef SDA_DATA_TEXT_TOKENIZER_H_
#define SDA_DATA_TEXT_TOKENIZER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sda {

class RememberedWords;

// Text to words.
//
// A word is what lies between two word boundaries of Unicode (UAX #29, as ICU has it), if it has a
// letter in it: numbers and punctuation are dropped, don't and e.g are one word each. It is then
// folded: compatibility forms and cases become one (NFKC_Casefold: Straße is strasse, the ligature
// in ﬁnd is fi), a typographic apostrophe becomes ', and _ and @ are taken off both ends. Words
// with fewer than minimum_length code points are dropped, unless written in Han, Kana or Hangul,
// where one character is as much as a syllable or a word.
//
// ASCII text never gets to ICU: the few rules that concern ASCII are a table here, itself made by
// asking ICU. In other text only the stretches between two ASCII blanks that have a non-ASCII
// character go to ICU: no rule looks across a blank.
class Tokenizer {
 public:
  // gaps: see Split().
  explicit Tokenizer(int minimum_length, bool gaps = false);
  ~Tokenizer();

  // The words of the text in order, valid until the next call. The text must be valid UTF-8. With
  // gaps, an empty word stands where punctuation, a number or a word too short separates ASCII
  // words that are not neighbours then.
  const std::vector<std::string_view>& Split(std::string_view text);

 private:
  struct Place {
    size_t begin;
    size_t size;
  };

  void AsciiWords(const char* begin, const char* end);
  void MixedWords(std::string_view text);
  void Keep(size_t begin, size_t end);

  const size_t minimum_length_;
  const bool gaps_;
  std::unique_ptr<RememberedWords> unicode_;
  std::string folded_;         // the words, one after the other
  std::vector<Place> places_;  // of the words in folded_
  std::vector<std::string_view> words_;
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_TOKENIZER_H_
