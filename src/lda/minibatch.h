#ifndef SDA_LDA_MINIBATCH_H_
#define SDA_LDA_MINIBATCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/thread_pool.h"

namespace sda::lda {

// The distinct words of the documents, ascending. Throws InputError for an id not below the
// vocabulary. The pool may be null.
std::vector<uint64_t> DistinctWords(const Documents& documents, uint64_t vocabulary,
                                    ThreadPool* pool = nullptr);

// The same as what a primitive reads of its prior, by the context's threads if it has one worker.
inline KeyedRows::Selection WordsOf(const Documents& documents, uint64_t vocabulary,
                                    const Context& context, int workers) {
  return {false, DistinctWords(documents, vocabulary, workers == 1 ? context.pool() : nullptr)};
}

// Throws InputError if the documents have weights: `primitive` draws, or multiplies, whole tokens.
void ExpectWholeCounts(const Documents& documents, const char* primitive);

// A minibatch seen from its words: words are numbered 0, 1, ... in the order of their ids, and the
// entries have places 0, 1, ... by word and, of a word, in the order of the documents.
struct WordIndex {
  WordIndex() = default;
  WordIndex(const Documents& documents, uint64_t vocabulary, ThreadPool* pool) {
    Build(documents, vocabulary, pool);
  }
  // Throws InputError for a word id that is not below the vocabulary, and UsageError for more
  // entries than it can number. Uses again the memory it holds. The result does not depend on the
  // number of threads.
  void Build(const Documents& documents, uint64_t vocabulary, ThreadPool* pool);

  size_t size() const { return words.size(); }

  std::vector<uint64_t> words;     // id of each number
  std::vector<uint32_t> numbers;   // of the word of each entry
  std::vector<uint64_t> begin;     // word w has the places [begin[w], begin[w + 1])
  std::vector<uint32_t> place_of;  // each entry
};

}  // namespace sda::lda

#endif  // SDA_LDA_MINIBATCH_H_
