#include "data/text/word_counter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/text/vocabulary_choice.h"

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

void WordCounter::GrowFrom(std::vector<std::string> vocabulary, std::vector<std::string> frequent) {
  grows_ = true;
  vocabulary_ = std::move(vocabulary);
  frequent_ = std::move(frequent);
  WordTable table;
  for (const std::string& word : stop_words()) table.Add(word);
  for (const std::string& word : frequent_) table.Add(word);
  left_out_ = table.size();
  empty_ = std::move(table);
  EmptyDictionary();
}

void WordCounter::EmptyDictionary() {
  if (!grows_) return;
  table_ = *empty_;
  count_.clear();
}

std::vector<std::string> WordCounter::Dictionary() const {
  std::vector<std::string> words;
  for (uint32_t id = left_out_; grows_ && id < table_.size(); ++id) {
    words.emplace_back(table_.word(id));
  }
  return words;
}

void WordCounter::Translate(WordTable* table, std::vector<std::string>* dictionary,
                            Record* record) const {
  std::vector<std::pair<uint32_t, uint64_t>> entries;
  for (size_t i = 0; i < record->words.size(); ++i) {
    const std::string_view text = table_.word(left_out_ + record->words[i]);
    const uint32_t id = table->Add(text);
    if (id == dictionary->size()) dictionary->emplace_back(text);
    entries.emplace_back(id, record->counts[i]);
  }
  std::sort(entries.begin(), entries.end());
  record->words.clear();
  record->counts.clear();
  for (const auto& [id, count] : entries) record->Add(id, count);
}

uint32_t WordCounter::Find(std::string_view word) {
  if (!grows_) return table_.Find(word);
  if (word.size() > kMaxWordBytes) return WordTable::kNone;
  const uint32_t number = table_.Add(word);
  return number < left_out_ ? WordTable::kNone : number - left_out_;
}

void WordCounter::CountAll(std::span<const std::string_view> words, Record* record) {
  const auto stop_words_end = left_out_ - static_cast<uint32_t>(frequent_.size());
  for (const std::string_view word : words) {
    const uint32_t number = word.size() > kMaxWordBytes ? WordTable::kNone : table_.Add(word);
    if (number < stop_words_end) continue;
    if (number < left_out_ || number == WordTable::kNone) {
      ++record->unknown;
      continue;
    }
    const uint32_t id = number - left_out_;
    if (id >= count_.size()) count_.resize(id + 1);
    if (count_[id]++ == 0) counted_.push_back(id);
  }
}

void WordCounter::Count(std::span<const std::string_view> words, Record* record) {
  if (phrases_) words = phrases_->Join(words);
  const uint32_t known = static_cast<uint32_t>(grows_ ? 0 : vocabulary_.size());
  if (grows_) {
    CountAll(words, record);
    words = {};
  }
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
