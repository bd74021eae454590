#ifndef SDA_LDA_VB_EXPECTATION_H_
#define SDA_LDA_VB_EXPECTATION_H_

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "lda/memory.h"
#include "lda/minibatch.h"
#include "lda/vb/kernels.h"
#include "sda/documents.h"
#include "sda/lda.h"
#include "sda/thread_pool.h"

namespace sda::lda {

// The topics as a primitive sees them: lambda of the minibatch's words, and sums over all words.
struct Topics {
  // Writes lambda_.v of word number v of the index.
  std::function<void(size_t v, double* row)> row;
  std::vector<double> sums;  // over the whole vocabulary, for each topic
};

// Memory and threads of E steps, used again from minibatch to minibatch.
template <class T>
struct Workspace {
  template <class Number>
  struct Buffer {
    hwy::AlignedFreeUniquePtr<Number[]> data;
    size_t size = 0;
    // Its numbers are not set.
    Number* Get(size_t needed) {
      if (needed > size) {
        data = Allocate<Number>(needed + needed / 4);
        size = needed + needed / 4;
      }
      return data.get();
    }
  };
  Buffer<T> rows, statistics, weights;
  Buffer<Occurrence<T>> occurrences;
  WordIndex index;
  std::shared_ptr<ThreadPool> pool;      // to use now; none until the first minibatch,
  std::shared_ptr<ThreadPool> own_pool;  // if no other is to be shared
};

// Workspaces not in use, one for each worker in time.
template <class T>
class Workspaces {
 public:
  // With the pool given, or one of its own.
  std::unique_ptr<Workspace<T>> Take(int threads, const std::shared_ptr<ThreadPool>& shared = {}) {
    std::unique_ptr<Workspace<T>> workspace = Take();
    workspace->pool = shared ? shared : workspace->own_pool;
    if (!workspace->pool) {
      workspace->pool = workspace->own_pool = std::make_shared<ThreadPool>(threads);
    }
    return workspace;
  }
  // With the pool it had last, if any.
  std::unique_ptr<Workspace<T>> Take() {
    std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<Workspace<T>>();
    auto workspace = std::move(free_.back());
    free_.pop_back();
    return workspace;
  }
  void Return(std::unique_ptr<Workspace<T>> workspace) {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace<T>>> free_;
};

// E steps for one minibatch: LocalVB for each document at the given topics, then the statistics
//   s_vk = sum over documents of n_dv phi_dvk.
// The documents are shared by the threads in chunks, then the words; each document and each word is
// done by one thread in one order, so the result does not depend on the number of threads.
template <class T>
class Expectation {
 public:
  Expectation(const LdaOptions& options, const Documents& documents, const WordIndex& index,
              Workspace<T>* workspace);

  // One E step. Gamma starts anew, or where the last call left it.
  void Run(const Topics& topics, bool warm);
  // Only the documents' part of it: gamma, no statistics.
  void RunDocuments(const Topics& topics, bool warm);

  // n_dv phi_dvk summed over documents, of word number v. Of the last Run().
  std::span<const T> statistics(size_t v) const { return {statistics_ + v * stride_, topics_}; }
  // Sum over the minibatch's words of the statistics, for each topic.
  std::span<const double> statistics_sums() const { return statistics_sums_; }
  // Sum of |change of the statistics| since the Run() before; since zero for the first.
  double change() const { return change_; }
  // The statistics, times scale, as a difference of posterior and prior.
  KeyedRows Change(double scale) const;
  // Gamma of all documents, D x K.
  std::vector<double> Gamma() const;

  uint64_t tokens() const { return tokens_; }
  uint64_t updates() const { return updates_; }
  uint64_t unconverged() const { return unconverged_; }
  uint64_t log_space_words() const { return log_space_words_; }

 private:
  void ExpectRows(const Topics& topics);
  LocalProblem<T> ProblemAt(const Topics& topics) const;
  void RunLocal(const LocalProblem<T>& problem, bool warm);
  void Accumulate(const LocalProblem<T>& results);
  void AddLogSpace(size_t v, double* sums) const;

  const Documents& documents_;
  const WordIndex& index_;
  ThreadPool* const pool_;
  const size_t topics_;
  const size_t stride_;
  const double tolerance_;
  const int max_updates_;
  std::vector<double> alpha_;
  std::vector<T> kernel_alpha_;
  Workspace<T>* const workspace_;
  T* const rows_;                      // W x stride: exp(E[log beta]), scaled
  T* statistics_ = nullptr;            // W x stride
  std::vector<LocalState<T>> states_;  // of each chunk of documents
  // By word: what was done in log space, in the order of the documents.
  std::unordered_map<uint32_t, std::vector<const std::vector<double>*>> log_space_;
  std::vector<double> statistics_sums_;
  double change_ = 0;
  uint64_t tokens_ = 0;
  uint64_t updates_ = 0;
  uint64_t unconverged_ = 0;
  uint64_t log_space_words_ = 0;
};

}  // namespace sda::lda

#endif  // SDA_LDA_VB_EXPECTATION_H_
