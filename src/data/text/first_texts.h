#ifndef SDA_DATA_TEXT_FIRST_TEXTS_H_
#define SDA_DATA_TEXT_FIRST_TEXTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/phrases.h"
#include "data/text/vocabulary_choice.h"
#include "data/text/word_counter.h"
#include "sda/documents.h"

namespace sda {

// The words of the first documents, from which the vocabulary is chosen, kept until then. Without
// phrases a document is kept as counts of words; with them their order is kept, too.
class FirstTexts {
 public:
  // Both must outlive this.
  FirstTexts(const std::vector<std::string>& stop_words, const CorpusOptions& options);

  // The words of a document as TextWords has them. One that does not count does not affect the
  // choice.
  void Add(std::span<const std::string_view> words, bool counts = true);
  uint64_t size() const { return counts_.size(); }

  // The vocabulary, and with it the phrases. Throws InputError if there is no word.
  std::vector<std::string> Choose() const;
  // As VocabularyChoice's. Not with phrases.
  std::vector<std::string> TooFrequent() const { return choice_.TooFrequent(); }

  // Document i from 0, once the counter has the vocabulary.
  void Count(size_t i, WordCounter* counter, Record* record) const;

 private:
  std::span<const std::string_view> Ordered(size_t i) const;

  const std::vector<std::string>& stop_words_;
  const CorpusOptions& options_;
  VocabularyChoice choice_;   // without phrases
  std::vector<bool> counts_;  // of each document
  Documents bags_;            // by the numbers of choice_; without phrases

  // With phrases: the words of the documents in order, one after the other; kNone for a gap.
  std::optional<PhraseChoice> phrases_;
  WordTable words_;
  std::vector<uint32_t> order_;
  std::vector<uint64_t> ends_;
  mutable std::vector<std::string_view> ordered_;
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_FIRST_TEXTS_H_
