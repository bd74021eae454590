#ifndef SDA_LDA_VB_KERNELS_H_
#define SDA_LDA_VB_KERNELS_H_

#include <hwy/aligned_allocator.h>
#include <hwy/base.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace sda::lda {

// The two inner loops of VB for LDA, in two precisions T, float and double, chosen at run time for
// the processor (Highway). Two limits keep them away from denormals and let them leave out what
// cannot matter:
//
// - Weights below kTiny<T> count as zero: of a topic in a document (relative to a largest one of 4
//   or more) and of a topic in a word's row (relative to the row's sum).
// - A normaliser below kSmall<T> is not trusted; that word is done in log space. Above it, what was
//   left out is below kTiny / kSmall of the whole: lost in the rounding of T anyway.
template <class T>
inline constexpr T kTiny = sizeof(T) == 4 ? T(1e-18) : T(1e-40);
template <class T>
inline constexpr T kSmall = sizeof(T) == 4 ? T(1e-9) : T(1e-22);

// Numbers in a row of a table of K columns: whole cache lines, so that rows never share one.
template <class T>
size_t PaddedWidth(size_t topics) {
  constexpr size_t kLine = 64 / sizeof(T);
  return (topics + kLine - 1) / kLine * kLine;
}

// row_k proportional to exp(digamma(lambda_k) - digamma_of_sum_k), with sum 1, the padding 0. Row,
// digamma_of_sum and scratch have PaddedWidth() numbers.
template <class T>
void ExpectedRow(const double* lambda, const T* digamma_of_sum, size_t topics, T* scratch, T* row);

// A word in a document, with the ratio n / normaliser that LocalVB leaves of it.
template <class T>
struct Occurrence {
  uint32_t document;
  T ratio;
};

// What all documents of a minibatch share in an E step.
template <class T>
struct LocalProblem {
  size_t topics = 0;
  const T* rows = nullptr;   // ExpectedRow() of each word, PaddedWidth() apart
  const T* alpha = nullptr;  // PaddedWidth() numbers
  double tolerance = 0;
  int updates = 0;
  // E[log beta_kv] of all topics k of word v (a row number), for words done in log space.
  std::function<void(uint32_t v, double* out)> expected_log_beta;

  // The documents: entries [offsets[d], offsets[d + 1]) of words and counts, or weights if given.
  const uint64_t* offsets = nullptr;
  const uint32_t* words = nullptr;  // row numbers
  const uint32_t* counts = nullptr;
  const float* fractions = nullptr;  // Documents::weights

  // Where the results for the statistics go; null if they are not wanted.
  const uint32_t* places = nullptr;  // of each entry in occurrences
  Occurrence<T>* occurrences = nullptr;
  T* weights = nullptr;  // of all topics of each document, PaddedWidth() apart
};

// What LocalVB leaves of some consecutive documents. A document has some topics of nonzero weight;
// of the others gamma = alpha. With the weights and the ratio of an entry (d, v),
//   n phi_dvk = weight_dk * ratio_dv * row_vk,
// but for entries done in log space, which have ratio 0.
template <class T>
struct LocalState {
  std::vector<size_t> begin = {0};  // document i has the topics [begin[i], begin[i + 1])
  std::vector<uint32_t> topics;
  std::vector<T> gamma;

  struct LogSpaceEntry {
    uint64_t entry;              // of offsets
    std::vector<double> counts;  // n phi_dvk for each topic k
  };
  std::vector<LogSpaceEntry> log_space;

  uint64_t tokens = 0;
  uint64_t updates = 0;
  uint64_t unconverged = 0;
  uint64_t log_space_words = 0;
};

// Memory of LocalVB, to be used again from call to call, by one call at a time. Its numbers mean
// nothing between calls.
template <class T>
struct LocalScratch {
  struct Buffer {
    hwy::AlignedFreeUniquePtr<T[]> data;
    size_t size = 0;
    T& operator[](size_t i) { return data[i]; }
    T* get() { return data.get(); }
  };
  using Id = hwy::MakeUnsigned<T>;  // as wide as T, so that both are compressed by one mask

  Buffer counts_;          // these two: a number for each word, padded
  Buffer ratio_;           // n / normaliser; 0 where that is too small
  std::vector<Id> ids_;    // of the active topics
  std::vector<Id> slots_;  // where in matrix_ an active topic lies
  Buffer gamma_, alpha_;   // of the active topics
  Buffer weight_;          // proportional to exp(E[log theta]), 0 if tiny and in the padding
  Buffer matrix_;          // their entries of the words' rows
  Buffer partial_, sums_;
};

// LocalVB (paper, subroutine of algorithm 1) of the documents [first, last). Gamma starts at ones,
// or where `warm` ended for the same documents.
template <class T>
void LocalVb(const LocalProblem<T>& problem, size_t first, size_t last, const LocalState<T>* warm,
             LocalScratch<T>* scratch, LocalState<T>* state);

// SumOccurrences() looks at this number of occurrences after the last, to fetch what they need.
inline constexpr size_t kOccurrencesAhead = 8;

// sums_k = row_k * sum over a word's documents of ratio * weight_k, for all topics k: the
// statistics of the word, but for entries done in log space. Row, sums and the weights of each
// document have `stride` numbers, PaddedWidth() of the topics.
template <class T>
void SumOccurrences(std::span<const Occurrence<T>> occurrences, const T* weights, const T* row,
                    size_t stride, double* sums);

// Replaces statistics by sums; adds them to totals. Returns the sum of |change|.
template <class T>
double ReplaceStatistics(const double* sums, size_t topics, T* statistics, double* totals);

}  // namespace sda::lda

#endif  // SDA_LDA_VB_KERNELS_H_
