#ifndef SDA_DATA_TEXT_TEXT_WORDS_H_
#define SDA_DATA_TEXT_TEXT_WORDS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/markup.h"
#include "data/text/stemmer.h"
#include "data/text/tokenizer.h"
#include "data/text/word_table.h"
#include "sda/corpus.h"

namespace sda {

// Texts to words as the options say: without markup, cut by the tokenizer, without their endings.
class TextWords {
 public:
  // Of options: minimum_word_length, strip, stemmer, phrases, and the stop words.
  explicit TextWords(const CorpusOptions& options);

  const std::vector<std::string>& stop_words() const { return stop_words_; }
  const Markup& strip() const { return strip_; }

  // The words of the text in order, valid until the next call. Stop words are among them, unless
  // there is a stemmer or there are phrases. With phrases, an empty word stands where those beside
  // it are not neighbours.
  const std::vector<std::string_view>& Split(std::string_view text);

 private:
  const bool phrases_;
  const Markup strip_;
  Tokenizer tokenizer_;
  std::vector<std::string> stop_words_;
  WordTable stop_table_;
  std::unique_ptr<Stemmer> stemmer_;  // null: none
  std::string stripped_;
  std::string letters_;  // of the stems, one after the other
  std::vector<size_t> ends_;
  std::vector<std::string_view> words_;
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_TEXT_WORDS_H_
