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

// Counts the words of a vocabulary in texts; or, if it grows, all words.
class WordCounter {
 public:
  // Of options: what TextWords needs.
  explicit WordCounter(const CorpusOptions& options);

  // `from` is where the words are from, for messages. Throws InputError if one is there twice, and
  // that is refused.
  void UseVocabulary(std::vector<std::string> words, const std::string& from,
                     Repeats repeats = Repeats::kRefused);
  // From now on all words count but the stop words and `frequent`, and those longer than a word
  // can be. They have places in the dictionary. The vocabulary is
  // what there is to begin with.
  void GrowFrom(std::vector<std::string> vocabulary, std::vector<std::string> frequent);
  bool grows() const { return grows_; }
  const std::vector<std::string>& frequent() const { return frequent_; }
  // The words counted since it was emptied last, in order of first occurrence.
  std::vector<std::string> Dictionary() const;
  // The words of a record become places in another dictionary, which outlives this one.
  void Translate(WordTable* table, std::vector<std::string>* dictionary, Record* record) const;
  void EmptyDictionary();

  const std::vector<std::string>& vocabulary() const { return vocabulary_; }
  const std::vector<std::string>& stop_words() const { return texts_.stop_words(); }

  TextWords& texts() { return texts_; }
  const TextWords& texts() const { return texts_; }
  // The id of a word of the vocabulary, kNone for any other. If it grows, the place in the
  // dictionary, kNone for words that do not count.
  uint32_t Find(std::string_view word);

  // Adds words and counts to the record, from its text.
  void Count(Record* record) { Count(texts_.Split(record->text), record); }
  // The same of a text that is cut into words already, by texts().
  void Count(std::span<const std::string_view> words, Record* record);

 private:
  void CountAll(std::span<const std::string_view> words, Record* record);

  const bool has_phrases_;
  TextWords texts_;
  std::vector<std::string> vocabulary_;
  std::optional<Phrases> phrases_;  // of the vocabulary
  WordTable table_;                 // the vocabulary, by id; then the stop words. If it grows:
                                    // what is left out, then the dictionary
  bool grows_ = false;
  std::vector<std::string> frequent_;
  uint32_t left_out_ = 0;           // stop words and frequent ones, which come after these
  std::optional<WordTable> empty_;  // the table with an empty dictionary
  std::vector<uint32_t> count_;     // of each word in the current document
  std::vector<uint32_t> counted_;   // words with a count
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_WORD_COUNTER_H_
