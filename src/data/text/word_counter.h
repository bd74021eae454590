#ifndef SDA_DATA_TEXT_WORD_COUNTER_H_
#define SDA_DATA_TEXT_WORD_COUNTER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/document_reader.h"
#include "data/text/phrases.h"
#include "data/text/text_words.h"
#include "data/text/tokenizer.h"
#include "data/text/word_table.h"
#include "sda/corpus.h"

namespace sda {

// What becomes of a word that differs from an earlier one of its vocabulary in upper case alone: it
// is refused, or no text is found to have it.
enum class Repeats { kRefused, kNeverFound };

// Counts the words of a vocabulary in texts.
class WordCounter {
 public:
  // Of options: what TextWords needs.
  explicit WordCounter(const CorpusOptions& options);

  // `from` is where the words are from, for messages. Throws InputError if one is there twice, and
  // that is refused.
  void UseVocabulary(std::vector<std::string> words, const std::string& from,
                     Repeats repeats = Repeats::kRefused);
  const std::vector<std::string>& vocabulary() const { return vocabulary_; }
  const std::vector<std::string>& stop_words() const { return texts_.stop_words(); }

  TextWords& texts() { return texts_; }
  const TextWords& texts() const { return texts_; }
  // The id of a word of the vocabulary, kNone for any other.
  uint32_t Find(std::string_view word) const { return table_.Find(word); }

  // Adds words and counts to the record, from its text.
  void Count(Record* record) { Count(texts_.Split(record->text), record); }
  // The same of a text that is cut into words already, by texts().
  void Count(std::span<const std::string_view> words, Record* record);

 private:
  const bool has_phrases_;
  TextWords texts_;
  std::vector<std::string> vocabulary_;
  std::optional<Phrases> phrases_;  // of the vocabulary
  WordTable table_;                 // the vocabulary, by id; then the stop words
  std::vector<uint32_t> count_;     // of each word in the current document
  std::vector<uint32_t> counted_;   // words with a count
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_WORD_COUNTER_H_
