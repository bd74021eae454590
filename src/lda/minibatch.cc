#include "lda/minibatch.h"

#include <bit>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

namespace sda::lda {

std::vector<uint64_t> DistinctWords(const Documents& documents, uint64_t vocabulary) {
  std::vector<uint64_t> present((vocabulary + 63) / 64);
  for (const uint32_t word : documents.words) {
    if (word >= vocabulary) {
      throw std::invalid_argument("word id is " + std::to_string(word) +
                                  ", must be below the vocabulary, " + std::to_string(vocabulary));
    }
    present[word / 64] |= uint64_t{1} << word % 64;
  }
  std::vector<uint64_t> words;
  for (size_t i = 0; i < present.size(); ++i) {
    for (uint64_t bits = present[i]; bits != 0; bits &= bits - 1) {
      words.push_back(i * 64 + std::countr_zero(bits));
    }
  }
  return words;
}

void WordIndex::Build(const Documents& documents, uint64_t vocabulary) {
  words = DistinctWords(documents, vocabulary);
  if (documents.words.size() > std::numeric_limits<uint32_t>::max()) {
    throw std::invalid_argument("minibatch has " + std::to_string(documents.words.size()) +
                                " entries, must be below 2^32");
  }
  // Only the entries of words that are present are written and read.
  const auto number_of = std::make_unique_for_overwrite<uint32_t[]>(vocabulary);
  for (size_t w = 0; w < words.size(); ++w) number_of[words[w]] = static_cast<uint32_t>(w);

  numbers.resize(documents.words.size());
  begin.assign(words.size() + 1, 0);
  for (size_t entry = 0; entry < numbers.size(); ++entry) {
    numbers[entry] = number_of[documents.words[entry]];
    ++begin[numbers[entry] + 1];
  }
  for (size_t w = 0; w < words.size(); ++w) begin[w + 1] += begin[w];

  std::vector<uint64_t> next(begin.begin(), begin.end() - 1);
  occurrences.resize(numbers.size());
  for (size_t d = 0; d < documents.size(); ++d) {
    for (uint64_t entry = documents.offsets[d]; entry < documents.offsets[d + 1]; ++entry) {
      occurrences[next[numbers[entry]]++] = {static_cast<uint32_t>(d),
                                             static_cast<uint32_t>(entry)};
    }
  }
}

}  // namespace sda::lda
