#include "lda/minibatch.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "sda/errors.h"

namespace sda::lda {

namespace {

// The run-th of `runs` equal parts of [0, count) begins here.
size_t FirstOfRun(size_t run, size_t runs, size_t count) { return run * count / runs; }

// Sets the bits of these words.
void Mark(std::span<const uint32_t> words, uint64_t vocabulary, std::vector<uint64_t>* present) {
  present->assign((vocabulary + 63) / 64, 0);
  for (const uint32_t word : words) {
    if (word >= vocabulary) {
      throw InputError("word id is " + std::to_string(word) + ", must be below the vocabulary, " +
                       std::to_string(vocabulary));
    }
    (*present)[word / 64] |= uint64_t{1} << word % 64;
  }
}

}  // namespace

std::vector<uint64_t> DistinctWords(const Documents& documents, uint64_t vocabulary,
                                    ThreadPool* pool) {
  const size_t runs = pool == nullptr ? 1 : pool->threads();
  const std::span<const uint32_t> all = documents.words;
  std::vector<std::vector<uint64_t>> present(runs);
  const auto mark_run = [&](size_t run) {
    const size_t first = FirstOfRun(run, runs, all.size());
    const size_t last = FirstOfRun(run + 1, runs, all.size());
    Mark(all.subspan(first, last - first), vocabulary, &present[run]);
  };
  pool == nullptr ? mark_run(0) : pool->ParallelFor(runs, mark_run);
  std::vector<uint64_t> words;
  words.reserve(std::min<uint64_t>(vocabulary, all.size()));
  for (size_t i = 0; i < present[0].size(); ++i) {
    uint64_t bits = 0;
    for (const auto& of_run : present) bits |= of_run[i];
    for (; bits != 0; bits &= bits - 1) words.push_back(i * 64 + std::countr_zero(bits));
  }
  return words;
}

void ExpectWholeCounts(const Documents& documents, const char* primitive) {
  if (documents.weights.empty()) return;
  throw InputError(std::string("the documents have weights that are not whole numbers, and ") +
                   primitive +
                   " needs counts: use --primitive vb, or give it the counts of the words");
}

void WordIndex::Build(const Documents& documents, uint64_t vocabulary, ThreadPool* pool) {
  words = DistinctWords(documents, vocabulary, pool);
  if (documents.words.size() > std::numeric_limits<uint32_t>::max()) {
    throw UsageError("minibatch has " + std::to_string(documents.words.size()) +
                     " entries, must be below 2^32");
  }
  // Only the entries of words that are present are written and read.
  const auto number_of = std::make_unique_for_overwrite<uint32_t[]>(vocabulary);
  for (size_t w = 0; w < words.size(); ++w) number_of[words[w]] = static_cast<uint32_t>(w);

  // Counting sort of the entries by word. Each thread counts the words of a run of documents. Then
  // the counts are summed up, each thread those of a run of words: now each run of documents knows
  // where the entries of a word that are in it go.
  const size_t runs = pool->threads();
  const auto first_document = [&](size_t run) { return FirstOfRun(run, runs, documents.size()); };
  const auto first_word = [&](size_t run) { return FirstOfRun(run, runs, size()); };
  std::vector<std::vector<uint32_t>> next(runs);
  std::vector<std::vector<uint64_t>> totals(runs);  // of each run of documents and of words
  numbers.resize(documents.words.size());
  pool->ParallelFor(runs, [&](size_t run) {
    std::vector<uint32_t>& counts = next[run];
    counts.assign(size(), 0);
    const uint64_t last = documents.offsets[first_document(run + 1)];
    for (uint64_t entry = documents.offsets[first_document(run)]; entry < last; ++entry) {
      const uint32_t number = number_of[documents.words[entry]];
      numbers[entry] = number;
      ++counts[number];
    }
    for (size_t part = 0; part < runs; ++part) {
      totals[run].push_back(std::accumulate(counts.begin() + first_word(part),
                                            counts.begin() + first_word(part + 1), uint64_t{0}));
    }
  });
  begin.resize(size() + 1);
  begin[size()] = numbers.size();
  pool->ParallelFor(runs, [&](size_t part) {
    uint64_t sum = 0;
    for (const auto& of_run : totals) {
      sum = std::accumulate(of_run.begin(), of_run.begin() + part, sum);
    }
    for (size_t w = first_word(part); w < first_word(part + 1); ++w) {
      begin[w] = sum;
      for (auto& of_run : next) sum += std::exchange(of_run[w], static_cast<uint32_t>(sum));
    }
  });
  place_of.resize(numbers.size());
  pool->ParallelFor(runs, [&](size_t run) {
    uint32_t* const next_place = next[run].data();
    const uint64_t last = documents.offsets[first_document(run + 1)];
    for (uint64_t entry = documents.offsets[first_document(run)]; entry < last; ++entry) {
      place_of[entry] = next_place[numbers[entry]]++;
    }
  });
}

}  // namespace sda::lda
