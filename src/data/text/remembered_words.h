#ifndef SDA_DATA_TEXT_REMEMBERED_WORDS_H_
#define SDA_DATA_TEXT_REMEMBERED_WORDS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/unicode_words.h"
#include "data/text/word_table.h"

namespace sda {

// Caches the words that ICU finds in short stretches of text, since words recur.
class RememberedWords {
 public:
  explicit RememberedWords(size_t minimum_length) : minimum_length_(minimum_length) {}

  // The words of the stretch in order, valid until the next call.
  const std::vector<std::string>& Split(std::string_view stretch);

 private:
  std::vector<std::string> Ask(std::string_view stretch);

  const size_t minimum_length_;
  UnicodeWords icu_;
  WordTable stretches_;
  std::vector<std::vector<std::string>> words_;  // of each stretch
  std::vector<std::string> not_remembered_;
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_REMEMBERED_WORDS_H_
