#include "lda/minibatch.h"

#include <bit>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

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

void WordIndex::Build(const Documents& documents, uint64_t vocabulary, ThreadPool* pool) {
  words = DistinctWords(documents, vocabulary);
  if (documents.words.size() > std::numeric_limits<uint32_t>::max()) {
    throw std::invalid_argument("minibatch has " + std::to_string(documents.words.size()) +
                                " entries, must be below 2^32");
  }
  // Only the entries of words that are present are written and read.
  const auto number_of = std::make_unique_for_overwrite<uint32_t[]>(vocabulary);
  for (size_t w = 0; w < words.size(); ++w) number_of[words[w]] = static_cast<uint32_t>(w);

  // Counting sort of the entries by word: each thread counts the words of a run of documents, and
  // after the counts are summed up each knows the places of its run.
  const size_t runs = pool->threads();
  auto first_of = [&](size_t run) { return run * documents.size() / runs; };
  std::vector<std::vector<uint64_t>> next(runs);
  numbers.resize(documents.words.size());
  pool->ParallelFor(runs, [&](size_t run) {
    next[run].assign(words.size(), 0);
    const uint64_t last = documents.offsets[first_of(run + 1)];
    for (uint64_t entry = documents.offsets[first_of(run)]; entry < last; ++entry) {
      numbers[entry] = number_of[documents.words[entry]];
      ++next[run][numbers[entry]];
    }
  });
  begin.resize(words.size() + 1);
  uint64_t sum = 0;
  for (size_t w = 0; w < words.size(); ++w) {
    begin[w] = sum;
    for (auto& of_run : next) sum += std::exchange(of_run[w], sum);
  }
  begin[words.size()] = sum;
  place_of.resize(numbers.size());
  document_at.assign(numbers.size() + kOccurrencesAhead, 0);
  pool->ParallelFor(runs, [&](size_t run) {
    for (size_t d = first_of(run); d < first_of(run + 1); ++d) {
      for (uint64_t entry = documents.offsets[d]; entry < documents.offsets[d + 1]; ++entry) {
        const uint64_t place = next[run][numbers[entry]]++;
        place_of[entry] = static_cast<uint32_t>(place);
        document_at[place] = static_cast<uint32_t>(d);
      }
    }
  });
}

}  // namespace sda::lda
