#ifndef SDA_LDA_SCORE_INFERENCE_H_
#define SDA_LDA_SCORE_INFERENCE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lda/minibatch.h"
#include "lda/vb/expectation.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda.h"
#include "sda/thread_pool.h"

namespace sda::lda {

// Sums over the vocabulary of each topic's parameters.
inline std::vector<double> TopicSums(const KeyedRows& rows, uint64_t vocabulary) {
  std::vector<double> sums;
  for (size_t k = 0; k < rows.width(); ++k) {
    sums.push_back(static_cast<double>(vocabulary) * rows.default_row()[k] + rows.totals()[k]);
  }
  return sums;
}

// The row of word number v of the index. A prior made for the minibatch has its rows in that order.
inline std::span<const double> RowOf(const KeyedRows& rows, const WordIndex& index, size_t v) {
  const uint64_t word = index.words[v];
  return v < rows.rows() && rows.key(v) == word ? rows.row(v) : rows.At(word);
}

// Whether nothing was learnt yet.
inline bool NothingFolded(const KeyedRows& prior) {
  return std::all_of(prior.totals().begin(), prior.totals().end(),
                     [](double total) { return total == 0; });
}

// The pool that comes with the prior, if a worker may have it: all of it is as many threads as the
// worker should use, or no other worker is at work, since topics form. Else none.
inline std::shared_ptr<ThreadPool> SharedPool(const KeyedRows& prior, int threads) {
  const std::shared_ptr<ThreadPool>& pool = prior.shared_pool();
  return pool && (pool->threads() <= threads || NothingFolded(prior)) ? pool : nullptr;
}

// What a primitive with these workspaces reads of its prior for the documents.
template <class T>
KeyedRows::Selection WordsOf(const Documents& documents, const LdaOptions& options,
                             Workspaces<T>* workspaces) {
  auto workspace = workspaces->Take();
  KeyedRows::Selection selection = {
      false, DistinctWords(documents, options.vocabulary, workspace->pool.get())};
  workspaces->Return(std::move(workspace));
  return selection;
}

struct InferredDocuments {
  std::vector<double> gamma;  // documents x topics
  uint64_t updates = 0;
  uint64_t unconverged = 0;
};

// Gamma of documents under a fitted model, whose topics stay as they are.
template <class T>
InferredDocuments InferGamma(const KeyedRows& posterior, const Documents& documents,
                             const LdaOptions& options) {
  Workspace<T> workspace;
  workspace.pool = std::make_shared<ThreadPool>(options.threads);
  WordIndex& index = workspace.index;
  index.Build(documents, options.vocabulary, workspace.pool.get());
  Expectation<T> e(options, documents, index, &workspace);
  Topics topics;
  topics.row = [&](size_t v, double* row) {
    const auto lambda = RowOf(posterior, index, v);
    std::copy(lambda.begin(), lambda.end(), row);
  };
  topics.sums = TopicSums(posterior, options.vocabulary);
  e.RunDocuments(topics, false);
  return {e.Gamma(), e.updates(), e.unconverged()};
}

}  // namespace sda::lda

#endif  // SDA_LDA_SCORE_INFERENCE_H_
