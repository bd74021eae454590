#ifndef SDA_LDA_VB_EXPECTATION_H_
#define SDA_LDA_VB_EXPECTATION_H_

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "lda/backend.h"
#include "lda/free_list.h"
#include "lda/memory.h"
#include "lda/minibatch.h"
#include "lda/vb/kernels.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/thread_pool.h"

namespace sda::lda {

// Memory of E steps, used again from minibatch to minibatch.
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
  FreeList<LocalScratch<T>> scratch;  // one for each thread in time
};

// E steps for one minibatch: LocalVB for each document at the given topics, then the statistics
//   s_vk = sum over documents of n_dv phi_dvk.
// The documents are shared by the threads in chunks, then the words; each document and each word is
// done by one thread in one order, so the result does not depend on the number of threads.
template <class T>
class Expectation {
 public:
  Expectation(const LdaSpec& spec, const LocalVbOptions& local, const Documents& documents,
              const WordIndex& index, ThreadPool* pool, Workspace<T>* workspace);

  // One E step. Gamma starts at ones, or where the last call left it.
  VbSums Run(const Topics& topics, bool warm);
  // Only the documents' part of it: gamma, no statistics.
  VbSums RunDocuments(const Topics& topics);

  // n_dv phi_dvk summed over documents, of word number v. Of the last Run().
  std::span<const T> statistics(size_t v) const { return {statistics_ + v * stride_, topics_}; }
  // Sum over the minibatch's words of the statistics, for each topic.
  std::span<const double> statistics_sums() const { return statistics_sums_; }
  // The statistics, times scale, as a difference of posterior and prior.
  KeyedRows Change(const KeyedRows& prior, double scale) const;
  // Gamma of all documents, D x K.
  std::vector<double> Gamma() const;

 private:
  void ExpectRows(const Topics& topics);
  LocalProblem<T> ProblemAt(const Topics& topics) const;
  VbSums RunLocal(const LocalProblem<T>& problem, bool warm);
  // Returns the sum of |change of the statistics|.
  double Accumulate(const LocalProblem<T>& results);
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
};

}  // namespace sda::lda

#endif  // SDA_LDA_VB_EXPECTATION_H_
