#include "data/text/vocabulary_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sda {

std::vector<std::string> ChooseVocabulary(const WordTable& words,
                                          const std::vector<uint64_t>& document_frequency,
                                          uint64_t documents, const CorpusOptions& options) {
  constexpr uint64_t kDocumentsForShare = 20;
  uint64_t least = options.minimum_document_frequency;
  if (least == 0) least = std::clamp<uint64_t>(documents / 200, 1, 5);
  uint64_t most = documents;
  if (documents >= kDocumentsForShare) {
    most = static_cast<uint64_t>(std::floor(options.maximum_document_share * documents));
  }

  std::vector<uint32_t> chosen;
  for (uint32_t i = 0; i < document_frequency.size(); ++i) {
    if (document_frequency[i] >= least && document_frequency[i] <= most) chosen.push_back(i);
  }
  const auto more_frequent = [&](uint32_t a, uint32_t b) {
    if (document_frequency[a] != document_frequency[b]) {
      return document_frequency[a] > document_frequency[b];
    }
    return words.word(a) < words.word(b);
  };
  std::sort(chosen.begin(), chosen.end(), more_frequent);
  if (chosen.size() > options.maximum_vocabulary) chosen.resize(options.maximum_vocabulary);

  std::vector<std::string> vocabulary;
  vocabulary.reserve(chosen.size());
  for (const uint32_t i : chosen) vocabulary.emplace_back(words.word(i));
  std::sort(vocabulary.begin(), vocabulary.end());
  if (vocabulary.empty()) {
    throw InputError(fmt::format(
        "no word is in at least {} and at most {} of the first {} documents ({} different words "
        "were seen), expected some for the vocabulary",
        least, most, documents, words.size()));
  }
  return vocabulary;
}

}  // namespace sda
