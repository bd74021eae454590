#ifndef SDA_DATA_TEXT_VOCABULARY_CHOICE_H_
#define SDA_DATA_TEXT_VOCABULARY_CHOICE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/word_table.h"
#include "sda/corpus.h"

namespace sda {

// Longer ones are no words, and are never chosen.
inline constexpr size_t kMaxWordBytes = 1 << 16;

// Chooses the words of a vocabulary from the first documents, by the rules of the options.
class VocabularyChoice {
 public:
  // The options must outlive this.
  VocabularyChoice(const std::vector<std::string>& stop_words, const CorpusOptions& options);

  // The words of one document, in any order. Returns their numbers in words(), ascending, without
  // stop words; valid until the next call. A document that does not count does not affect the
  // choice.
  std::span<const uint32_t> Add(std::span<const std::string_view> document, bool counts = true);

  const WordTable& words() const { return words_; }
  uint64_t documents() const { return documents_; }  // that count

  // In alphabetical order (of their bytes). Throws InputError if no word is left.
  std::vector<std::string> Choose() const;
  // Those that are in too many documents to be chosen, likewise.
  std::vector<std::string> TooFrequent() const;

 private:
  // Documents that a word may be in.
  uint64_t Most() const;

  const CorpusOptions& options_;
  WordTable words_;  // the stop words, then the words of the documents
  const uint32_t stop_words_;
  std::vector<uint64_t> frequency_;  // documents that have the word
  uint64_t documents_ = 0;
  std::vector<uint32_t> numbers_;
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_VOCABULARY_CHOICE_H_
