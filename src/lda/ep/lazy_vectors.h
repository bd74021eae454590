#ifndef SDA_LDA_EP_LAZY_VECTORS_H_
#define SDA_LDA_EP_LAZY_VECTORS_H_

#include <cstddef>
#include <vector>

namespace sda::lda {

// A few vectors X_0, X_1, ... over words, for every topic. A step multiplies them by a lower
// triangular matrix, the same for all words, and sets them at one word. They are kept as
// matrix * base: a step multiplies the matrix, and writes the base of the one word. Sums over words
// come from sums and inner products of the base. Now and then the base becomes matrix * base.
//
// All arrays have topics as their last dimension. A lower triangular matrix has its rows one after
// the other, without what is above the diagonal (Cell).
class LazyVectors {
 public:
  // Words are numbered from 0. One more row, number `words`, stands for all other words, each of
  // which is a multiple of what it was: the row holds the factor, 1 at first, and the arrays the
  // sum over these words of what they were, and of its squares.
  LazyVectors(size_t words, std::vector<double> others_sum, std::vector<double> others_squares);

  // From now on the vectors are these, rows x topics each.
  void Start(const std::vector<std::vector<double>>& vectors);
  // values: vectors x topics, at that word.
  void Read(size_t word, double* values) const;
  // The matrix's diagonal is positive.
  void Step(const double* matrix, size_t word, const double* values);
  // The last vector, rows x topics.
  std::vector<double> Last();

  // Of the vector sum_l weights_l X_l: the sum over all words, and the sum of squares. weights:
  // vectors x topics.
  void Sums(const double* weights, double* sums, double* squares);

  // Where row l, column m of a lower triangular matrix begins.
  size_t Cell(size_t l, size_t m) const { return (l * (l + 1) / 2 + m) * topics_; }

 private:
  double* Base(size_t row) { return base_.data() + row * count_ * topics_; }
  void AddToSums(double sign, const double* base);
  void Settle();

  const size_t words_;
  const size_t topics_;
  const std::vector<double> others_sum_;
  const std::vector<double> others_squares_;
  size_t count_ = 0;                   // of vectors
  std::vector<double> base_;           // rows x vectors x topics
  std::vector<double> matrix_;         // lower triangular
  std::vector<double> base_sums_;      // vectors x topics
  std::vector<double> base_products_;  // lower triangular: inner products
  std::vector<double> coordinates_;    // of a sum of vectors, in the base
  size_t steps_ = 0;                   // since the base was settled
};

}  // namespace sda::lda

#endif  // SDA_LDA_EP_LAZY_VECTORS_H_
