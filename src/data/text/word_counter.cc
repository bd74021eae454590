#include "data/text/word_counter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/text/stop_words.h"

namespace sda {
namespace {

// The word as it comes out of a text: a vocabulary may be written in upper case.
std::string Folded(const std::string& word, Tokenizer* tokenizer) {
  const auto& words = tokenizer->Split(word);
  if (words.size() == 1 && words[0].size() == word.size()) return std::string(words[0]);
  return word;
}

}  // namespace

WordCounter::WordCounter(const CorpusOptions& options)
    : tokenizer_(options.minimum_word_length), stop_words_(StopWords(options.stop_words)) {}

void WordCounter::UseVocabulary(std::vector<std::string> words, const std::string& from) {
  Tokenizer tokenizer(1);
  vocabulary_ = std::move(words);
  table_ = WordTable();
  for (uint32_t id = 0; id < vocabulary_.size(); ++id) {
    const uint32_t found = table_.Add(Folded(vocabulary_[id], &tokenizer));
    if (found == id) continue;
    throw InputError(fmt::format("{}:{}: found {}, which is also word {}, expected another word",
                                 from, id + 1, Quoted(vocabulary_[id]), found + 1));
  }
  for (const std::string& word : stop_words_) table_.Add(word);
  count_.assign(vocabulary_.size(), 0);
}

void WordCounter::Count(Record* record) {
  const uint32_t words = static_cast<uint32_t>(vocabulary_.size());
  for (const std::string_view word : tokenizer_.Split(record->text)) {
    const uint32_t id = table_.Find(word);
    if (id < words) {
      if (count_[id]++ == 0) counted_.push_back(id);
    } else if (id == WordTable::kNone) {
      ++record->unknown;
    }
  }
  std::sort(counted_.begin(), counted_.end());
  for (const uint32_t word : counted_) {
    record->Add(word, count_[word]);
    count_[word] = 0;
  }
  counted_.clear();
}

}  // namespace sda
