#ifndef SDA_DATA_TEXT_UNICODE_WORDS_H_
#define SDA_DATA_TEXT_UNICODE_WORDS_H_

#include <unicode/ubrk.h>
#include <unicode/unorm2.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sda {

// Word boundaries and folding by ICU. Slow, but the reference: see tokenizer.h.
class UnicodeWords {
 public:
  UnicodeWords();
  ~UnicodeWords();
  UnicodeWords(const UnicodeWords&) = delete;
  UnicodeWords& operator=(const UnicodeWords&) = delete;

  // Calls keep(word) for every word of the text, folded, that has a letter and the minimum length.
  void Split(std::string_view text, size_t minimum_length,
             const std::function<void(std::string_view)>& keep);

  // True if the whole text lies between two neighbouring boundaries.
  bool IsOneSegment(std::string_view text);

 private:
  void SetText(std::string_view text);
  // The part [begin, end) of text_ as a folded word; empty if it is none.
  std::string_view Fold(int32_t begin, int32_t end, size_t minimum_length);

  UBreakIterator* boundaries_;
  const UNormalizer2* folding_;
  std::u16string text_;
  std::u16string folded_;
  std::string word_;
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_UNICODE_WORDS_H_
