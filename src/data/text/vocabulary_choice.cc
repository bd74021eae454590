#include "data/text/vocabulary_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace sda {
namespace {

WordTable TableOf(const std::vector<std::string>& words) {
  WordTable table;
  for (const std::string& word : words) table.Add(word);
  return table;
}

}  // namespace

VocabularyChoice::VocabularyChoice(const std::vector<std::string>& stop_words,
                                   const CorpusOptions& options)
    : options_(options), words_(TableOf(stop_words)), stop_words_(words_.size()) {}

std::span<const uint32_t> VocabularyChoice::Add(std::span<const std::string_view> document,
                                                bool counts) {
  numbers_.clear();
  for (const std::string_view word : document) {
    const uint32_t number = words_.Add(word);
    if (number >= stop_words_) numbers_.push_back(number);
  }
  std::sort(numbers_.begin(), numbers_.end());
  if (counts) {
    ++documents_;
    frequency_.resize(words_.size());
    for (size_t i = 0; i < numbers_.size(); ++i) {
      if (i == 0 || numbers_[i] != numbers_[i - 1]) ++frequency_[numbers_[i]];
    }
  }
  return numbers_;
}

uint64_t VocabularyChoice::Most() const {
  constexpr uint64_t kDocumentsForShare = 20;
  if (documents_ < kDocumentsForShare) return documents_;
  return static_cast<uint64_t>(std::floor(options_.maximum_document_share * documents_));
}

std::vector<std::string> VocabularyChoice::TooFrequent() const {
  std::vector<std::string> frequent;
  for (uint32_t i = 0; i < frequency_.size(); ++i) {
    if (frequency_[i] > Most()) frequent.emplace_back(words_.word(i));
  }
  std::sort(frequent.begin(), frequent.end());
  return frequent;
}

std::vector<std::string> VocabularyChoice::Choose() const {
  uint64_t least = options_.minimum_document_frequency;
  if (least == 0) least = std::clamp<uint64_t>(documents_ / 200, 1, 5);
  const uint64_t most = Most();

  std::vector<uint32_t> chosen;
  for (uint32_t i = 0; i < frequency_.size(); ++i) {
    if (frequency_[i] < least || frequency_[i] > most) continue;
    if (words_.word(i).size() <= kMaxWordBytes) chosen.push_back(i);
  }
  const auto more_frequent = [&](uint32_t a, uint32_t b) {
    if (frequency_[a] != frequency_[b]) return frequency_[a] > frequency_[b];
    return words_.word(a) < words_.word(b);
  };
  std::sort(chosen.begin(), chosen.end(), more_frequent);
  if (chosen.size() > options_.maximum_vocabulary) chosen.resize(options_.maximum_vocabulary);

  std::vector<std::string> vocabulary;
  vocabulary.reserve(chosen.size());
  for (const uint32_t i : chosen) vocabulary.emplace_back(words_.word(i));
  std::sort(vocabulary.begin(), vocabulary.end());
  if (vocabulary.empty() && words_.size() == stop_words_) {
    throw InputError(fmt::format(
        "{} no word but stop words and words that are too short (--stop-words, "
        "--min-word-length), expected some for the vocabulary",
        documents_ == 1 ? "the only document has"
                        : fmt::format("the first {} documents have", Grouped(documents_))));
  }
  if (vocabulary.empty()) {
    throw InputError(fmt::format(
        "no word is in at least {} and at most {} of the first {} ({}), expected some for the "
        "vocabulary",
        least, most, Plural(documents_, "document", "documents"),
        Plural(words_.size() - stop_words_, "distinct word was seen that is no stop word",
               "distinct words were seen that are not stop words")));
  }
  return vocabulary;
}

}  // namespace sda
