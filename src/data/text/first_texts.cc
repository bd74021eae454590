#include "data/text/first_texts.h"

namespace sda {

FirstTexts::FirstTexts(const std::vector<std::string>& stop_words, const CorpusOptions& options)
    : stop_words_(stop_words), options_(options), choice_(stop_words, options_) {
  if (options_.phrases) phrases_.emplace();
}

void FirstTexts::Add(std::span<const std::string_view> words, bool counts) {
  counts_.push_back(counts);
  if (phrases_) {
    if (counts) phrases_->Add(words);
    for (const std::string_view word : words) {
      order_.push_back(word.empty() ? WordTable::kNone : words_.Add(word));
    }
    ends_.push_back(order_.size());
    return;
  }
  const auto numbers = choice_.Add(words, counts);
  for (size_t i = 0; i < numbers.size();) {
    const size_t begin = i;
    while (i < numbers.size() && numbers[i] == numbers[begin]) ++i;
    bags_.words.push_back(numbers[begin]);
    bags_.counts.push_back(static_cast<uint32_t>(i - begin));
  }
  bags_.offsets.push_back(bags_.words.size());
}

std::span<const std::string_view> FirstTexts::Ordered(size_t i) const {
  ordered_.clear();
  for (uint64_t at = i == 0 ? 0 : ends_[i - 1]; at < ends_[i]; ++at) {
    const uint32_t word = order_[at];
    ordered_.push_back(word == WordTable::kNone ? std::string_view() : words_.word(word));
  }
  return ordered_;
}

std::vector<std::string> FirstTexts::Choose() const {
  if (!phrases_) return choice_.Choose();
  Phrases phrases(phrases_->Choose());
  VocabularyChoice joined(stop_words_, options_);
  for (size_t i = 0; i < size(); ++i) joined.Add(phrases.Join(Ordered(i)), counts_[i]);
  return joined.Choose();
}

void FirstTexts::Count(size_t i, WordCounter* counter, Record* record) const {
  if (phrases_) return counter->Count(Ordered(i), record);
  for (uint64_t at = bags_.offsets[i]; at < bags_.offsets[i + 1]; ++at) {
    const uint32_t id = counter->Find(choice_.words().word(bags_.words[at]));
    if (id == WordTable::kNone) {
      record->unknown += bags_.counts[at];
    } else {
      record->Add(id, bags_.counts[at]);
    }
  }
}

}  // namespace sda
