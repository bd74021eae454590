#include "sda/documents.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace sda {
namespace {

template <class T>
std::vector<T> Part(const std::vector<T>& all, size_t first, size_t last) {
  if (all.empty()) return {};
  return std::vector<T>(all.begin() + first, all.begin() + last);
}

// What is known of each of some documents, or of none of them: of both together.
template <class T>
void AppendKnown(const std::vector<T>& more, size_t size, size_t before, std::vector<T>* known) {
  if (more.size() == size && known->size() == before) {
    known->insert(known->end(), more.begin(), more.end());
  } else {
    known->clear();
  }
}

}  // namespace

Documents Slice(const Documents& documents, size_t first, size_t last) {
  const uint64_t begin = documents.offsets[first];
  const uint64_t end = documents.offsets[last];
  Documents part;
  part.offsets.assign(documents.offsets.begin() + first, documents.offsets.begin() + last + 1);
  for (uint64_t& offset : part.offsets) offset -= begin;
  part.words = Part(documents.words, begin, end);
  part.counts = Part(documents.counts, begin, end);
  part.weights = Part(documents.weights, begin, end);
  part.numbers = Part(documents.numbers, first, last);
  part.ids = Part(documents.ids, first, last);
  part.times = Part(documents.times, first, last);
  part.unknown = Part(documents.unknown, first, last);
  part.texts = Part(documents.texts, first, last);
  part.dictionary = documents.dictionary;
  return part;
}

void AppendDocuments(const Documents& more, Documents* documents) {
  if (documents->size() == 0) documents->dictionary = more.dictionary;
  if (more.dictionary != documents->dictionary) {
    throw std::logic_error("documents of two dictionaries do not go together");
  }
  const uint64_t entries = documents->words.size();
  const size_t before = documents->size();
  AppendKnown(more.numbers, more.size(), before, &documents->numbers);
  AppendKnown(more.ids, more.size(), before, &documents->ids);
  AppendKnown(more.times, more.size(), before, &documents->times);
  AppendKnown(more.unknown, more.size(), before, &documents->unknown);
  AppendKnown(more.texts, more.size(), before, &documents->texts);
  if (!more.weights.empty() || !documents->weights.empty()) {
    if (documents->weights.empty()) {
      documents->weights.assign(documents->counts.begin(), documents->counts.end());
    }
    for (size_t i = 0; i < more.words.size(); ++i) {
      documents->weights.push_back(static_cast<float>(more.weight(i)));
    }
  }
  documents->words.insert(documents->words.end(), more.words.begin(), more.words.end());
  documents->counts.insert(documents->counts.end(), more.counts.begin(), more.counts.end());
  for (size_t d = 1; d < more.offsets.size(); ++d) {
    documents->offsets.push_back(entries + more.offsets[d]);
  }
}

uint64_t Tokens(const Documents& documents) {
  if (!documents.weights.empty()) {
    return std::llround(
        std::accumulate(documents.weights.begin(), documents.weights.end(), double{0}));
  }
  return std::accumulate(documents.counts.begin(), documents.counts.end(), uint64_t{0});
}

uint64_t Tokens(const Documents& documents, size_t d) {
  if (!documents.weights.empty()) {
    return std::llround(std::accumulate(documents.weights.begin() + documents.offsets[d],
                                        documents.weights.begin() + documents.offsets[d + 1],
                                        double{0}));
  }
  return std::accumulate(documents.counts.begin() + documents.offsets[d],
                         documents.counts.begin() + documents.offsets[d + 1], uint64_t{0});
}

uint64_t UnknownTokens(const Documents& documents) {
  return std::accumulate(documents.unknown.begin(), documents.unknown.end(), uint64_t{0});
}

Counts CountsOf(const Documents& documents) {
  return {.items = documents.size(), .tokens = Tokens(documents)};
}

uint64_t BlockTokens(const Documents& documents, size_t d) {
  const uint64_t tokens = Tokens(documents, d);
  const uint64_t words = documents.offsets[d + 1] - documents.offsets[d];
  const uint64_t most = std::min(kMaxSingleTokens, kMaxSingleTokensPerWord * words);
  return tokens <= most ? 1 : std::bit_ceil((tokens + most - 1) / most);
}

uint64_t Draws(const Documents& documents, size_t d) {
  const uint64_t block = BlockTokens(documents, d);
  if (block == 1) return Tokens(documents, d);
  uint64_t draws = 0;
  for (uint64_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
    draws += (documents.counts[i] + block - 1) / block;
  }
  return draws;
}

}  // namespace sda
