#ifndef SDA_LDA_GIBBS_COUNT_VARIANCES_H_
#define SDA_LDA_GIBBS_COUNT_VARIANCES_H_

#include <hwy/aligned_allocator.h>

#include <cstddef>

namespace sda::lda {

// How much the counts of words in topics vary between sweeps, which is how uncertain they are: each
// sweep is a draw from what the topics of the tokens may be. Rows have `width` numbers, as those of
// the sampler. Of different words from any thread.
class CountVariances {
 public:
  CountVariances(size_t words, size_t width);

  // Before the rows of a sweep.
  void BeginSweep() { ++sweeps_; }
  // The row of a word in this sweep: its counts, plus the same numbers in every sweep, are
  // weights[k] * inverse_unit[k].
  void Add(size_t word, const float* weights, const float* inverse_unit);

  // Variances need two sweeps.
  bool known() const { return sweeps_ > 1; }
  // Writes the variances of the means of the first `topics` counts of a word: as estimates of
  // counts of which one draw is as good as another. So it is the variance of a draw, and that of
  // the mean of these draws.
  void Variances(size_t word, size_t topics, double* row) const;

 private:
  float* Row(const hwy::AlignedFreeUniquePtr<float[]>& numbers, size_t word) const {
    return numbers.get() + word * width_;
  }

  const size_t width_;
  size_t sweeps_ = 0;
  // Of the first sweep; and the sums, and sums of squares, of the differences to it.
  hwy::AlignedFreeUniquePtr<float[]> base_, sums_, squares_;
};

}  // namespace sda::lda

#endif  // SDA_LDA_GIBBS_COUNT_VARIANCES_H_
