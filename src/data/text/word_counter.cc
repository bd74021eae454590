#include "data/text/word_counter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sda {
namespace {

// The word as it comes out of a text: a vocabulary may be written in upper case. A phrase is two.
std::string Folded(const std::string& word, bool phrases, Tokenizer* tokenizer) {
  const auto& words = tokenizer->Split(word);
  if (phrases && words.size() == 2) return std::string(words[0]) + ' ' + std::string(words[1]);
  if (words.size() == 1 && words[0].size() == word.size()) return std::string(words[0]);
  return word;
}

}  // namespace

WordCounter::WordCounter(const CorpusOptions& options)
    : has_phrases_(options.phrases), texts_(options) {}

void WordCounter::UseVocabulary(std::vector<std::string> words, const std::string& from,
                                Repeats repeats) {
  Tokenizer tokenizer(1);
  vocabulary_ = std::move(words);
  table_ = WordTable();
  for (uint32_t id = 0; id < vocabulary_.size(); ++id) {
    const uint32_t found = table_.Add(Folded(vocabulary_[id], has_phrases_, &tokenizer));
    if (found == id) continue;
    if (repeats == Repeats::kNeverFound) {
      table_.Add("\xff" + vocabulary_[id]);  // no text has this word
      continue;
    }
    throw InputError(fmt::format("{}:{}: found {}, which is also word {}, expected another word",
                                 from, id + 1, Quoted(vocabulary_[id]), found + 1));
  }
  if (has_phrases_) {
    std::vector<std::string> folded;
    for (uint32_t id = 0; id < table_.size(); ++id) folded.emplace_back(table_.word(id));
    phrases_.emplace(folded);
  }
  for (const std::string& word : stop_words()) table_.Add(word);
  count_.assign(vocabulary_.size(), 0);
}

void WordCounter::Count(std::span<const std::string_view> words, Record* record) {
  if (phrases_) words = phrases_->Join(words);
  const uint32_t known = static_cast<uint32_t>(vocabulary_.size());
  for (const std::string_view word : words) {
    const uint32_t id = table_.Find(word);
    if (id < known) {
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
