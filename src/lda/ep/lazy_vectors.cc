#include "lda/ep/lazy_vectors.h"

#include <algorithm>
#include <utility>

namespace sda::lda {
namespace {

// The base is settled when the diagonal of the matrix, 1 at first, has come down to this,
constexpr double kLeastScale = 0.5;
// or after as many steps as there are words, and at least these.
constexpr size_t kFewestSteps = 100;

// to += a * b, elementwise.
void AddProduct(const double* a, const double* b, size_t size, double* to) {
  for (size_t k = 0; k < size; ++k) to[k] += a[k] * b[k];
}

}  // namespace

LazyVectors::LazyVectors(size_t words, std::vector<double> others_sum,
                         std::vector<double> others_squares)
    : words_(words),
      topics_(others_sum.size()),
      others_sum_(std::move(others_sum)),
      others_squares_(std::move(others_squares)) {}

void LazyVectors::Start(const std::vector<std::vector<double>>& vectors) {
  count_ = vectors.size();
  base_.resize((words_ + 1) * count_ * topics_);
  for (size_t row = 0; row <= words_; ++row) {
    for (size_t l = 0; l < count_; ++l) {
      std::copy_n(vectors[l].data() + row * topics_, topics_, Base(row) + l * topics_);
    }
  }
  matrix_.assign(Cell(count_, 0), 0.0);
  for (size_t l = 0; l < count_; ++l) std::fill_n(matrix_.data() + Cell(l, l), topics_, 1.0);
  Settle();
}

void LazyVectors::Read(size_t word, double* values) const {
  const double* base = base_.data() + word * count_ * topics_;
  std::fill_n(values, count_ * topics_, 0.0);
  for (size_t l = 0; l < count_; ++l) {
    for (size_t m = 0; m <= l; ++m) {
      AddProduct(matrix_.data() + Cell(l, m), base + m * topics_, topics_, values + l * topics_);
    }
  }
}

void LazyVectors::Step(const double* matrix, size_t word, const double* values) {
  double* base = Base(word);
  AddToSums(-1, base);
  for (size_t l = count_; l-- > 0;) {  // the last row first: it needs the others as they were
    const double* diagonal = matrix + Cell(l, l);
    for (size_t m = 0; m <= l; ++m) {
      double* cell = matrix_.data() + Cell(l, m);
      for (size_t k = 0; k < topics_; ++k) cell[k] *= diagonal[k];
      for (size_t q = m; q < l; ++q) {
        AddProduct(matrix + Cell(l, q), matrix_.data() + Cell(q, m), topics_, cell);
      }
    }
  }
  bool settle = ++steps_ >= std::max(words_, kFewestSteps);
  for (size_t l = 0; l < count_; ++l) {  // matrix_ * base = values, solved for the base
    double* out = base + l * topics_;
    std::copy_n(values + l * topics_, topics_, out);
    for (size_t m = 0; m < l; ++m) {
      const double* factor = matrix_.data() + Cell(l, m);
      const double* from = base + m * topics_;
      for (size_t k = 0; k < topics_; ++k) out[k] -= factor[k] * from[k];
    }
    const double* diagonal = matrix_.data() + Cell(l, l);
    for (size_t k = 0; k < topics_; ++k) {
      out[k] /= diagonal[k];
      settle |= !(diagonal[k] > kLeastScale);
    }
  }
  AddToSums(1, base);
  if (settle) Settle();
}

std::vector<double> LazyVectors::Last() {
  Settle();
  std::vector<double> last;
  for (size_t row = 0; row <= words_; ++row) {
    const double* from = Base(row) + (count_ - 1) * topics_;
    last.insert(last.end(), from, from + topics_);
  }
  return last;
}

void LazyVectors::Sums(const double* weights, double* sums, double* squares) {
  coordinates_.assign(count_ * topics_, 0.0);
  for (size_t l = 0; l < count_; ++l) {
    for (size_t m = 0; m <= l; ++m) {
      AddProduct(weights + l * topics_, matrix_.data() + Cell(l, m), topics_,
                 coordinates_.data() + m * topics_);
    }
  }
  std::fill_n(sums, topics_, 0.0);
  std::fill_n(squares, topics_, 0.0);
  for (size_t m = 0; m < count_; ++m) {
    const double* a = coordinates_.data() + m * topics_;
    AddProduct(a, base_sums_.data() + m * topics_, topics_, sums);
    for (size_t q = 0; q <= m; ++q) {
      const double times = q < m ? 2 : 1;
      const double* b = coordinates_.data() + q * topics_;
      const double* product = base_products_.data() + Cell(m, q);
      for (size_t k = 0; k < topics_; ++k) squares[k] += times * a[k] * b[k] * product[k];
    }
  }
}

// A word's part in the sums and inner products.
void LazyVectors::AddToSums(double sign, const double* base) {
  for (size_t m = 0; m < count_; ++m) {
    const double* a = base + m * topics_;
    double* sum = base_sums_.data() + m * topics_;
    for (size_t k = 0; k < topics_; ++k) sum[k] += sign * a[k];
    for (size_t q = 0; q <= m; ++q) {
      const double* b = base + q * topics_;
      double* product = base_products_.data() + Cell(m, q);
      for (size_t k = 0; k < topics_; ++k) product[k] += sign * a[k] * b[k];
    }
  }
}

// base <- matrix * base, and its sums computed again, so that rounding does not add up.
void LazyVectors::Settle() {
  base_sums_.assign(count_ * topics_, 0.0);
  base_products_.assign(Cell(count_, 0), 0.0);
  for (size_t row = 0; row <= words_; ++row) {
    double* base = Base(row);
    for (size_t l = count_; l-- > 0;) {
      double* out = base + l * topics_;
      const double* diagonal = matrix_.data() + Cell(l, l);
      for (size_t k = 0; k < topics_; ++k) out[k] *= diagonal[k];
      for (size_t m = 0; m < l; ++m) {
        AddProduct(matrix_.data() + Cell(l, m), base + m * topics_, topics_, out);
      }
    }
    if (row < words_) AddToSums(1, base);
  }
  const double* others = Base(words_);
  for (size_t m = 0; m < count_; ++m) {
    const double* a = others + m * topics_;
    AddProduct(a, others_sum_.data(), topics_, base_sums_.data() + m * topics_);
    for (size_t q = 0; q <= m; ++q) {
      const double* b = others + q * topics_;
      double* product = base_products_.data() + Cell(m, q);
      for (size_t k = 0; k < topics_; ++k) product[k] += a[k] * b[k] * others_squares_[k];
    }
  }
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
  for (size_t l = 0; l < count_; ++l) std::fill_n(matrix_.data() + Cell(l, l), topics_, 1.0);
  steps_ = 0;
}

}  // namespace sda::lda
