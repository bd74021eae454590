#ifndef SDA_DATA_TEXT_WORD_COUNTER_H_
#define SDA_DATA_TEXT_WORD_COUNTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "data/document_reader.h"
#include "data/text/tokenizer.h"
#include "data/text/word_table.h"
#include "sda/corpus.h"

namespace sda {

// Counts the words of a vocabulary in texts.
class WordCounter {
 public:
  // Of options: stop_words, minimum_word_length.
  explicit WordCounter(const CorpusOptions& options);

  // `from` is where the words are from, for messages. Throws InputError if one is there twice.
  void UseVocabulary(std::vector<std::string> words, const std::string& from);
  const std::vector<std::string>& vocabulary() const { return vocabulary_; }
  const std::vector<std::string>& stop_words() const { return stop_words_; }

  Tokenizer& tokenizer() { return tokenizer_; }
  // The id of a word of the vocabulary, kNone for any other.
  uint32_t Find(std::string_view word) const { return table_.Find(word); }

  // Adds words and counts to the record, from its text.
  void Count(Record* record);

 private:
  Tokenizer tokenizer_;
  std::vector<std::string> stop_words_;
  std::vector<std::string> vocabulary_;
  WordTable table_;                // the vocabulary, by id; then the stop words
  std::vector<uint32_t> count_;    // of each word in the current document
  std::vector<uint32_t> counted_;  // words with a count
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_WORD_COUNTER_H_
