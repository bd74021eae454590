#include "lda/gibbs/count_variances.h"

#include <algorithm>

#include "lda/memory.h"

namespace sda::lda {
namespace {

// Sweeps next to each other are alike: this many of them are about as good as one independent draw.
// Found by simulation (docs/uncertainty.md).
constexpr double kSweepsOfADraw = 30;

// To the nearest whole number, for |x| < 2^22: what is added pushes the fraction out. In this form
// a compiler makes vectors of it for every processor.
inline float Round(float x) {
  constexpr float kShift = 12'582'912;  // 1.5 * 2^23
  return (x + kShift) - kShift;
}

}  // namespace

CountVariances::CountVariances(size_t words, size_t width)
    : width_(width),
      base_(Allocate<float>(words * width)),
      sums_(Allocate<float>(words * width)),
      squares_(Allocate<float>(words * width)) {}

void CountVariances::Add(size_t word, const float* weights, const float* inverse_unit) {
  float* base = Row(base_, word);
  float* sums = Row(sums_, word);
  float* squares = Row(squares_, word);
  if (sweeps_ == 1) {
    for (size_t k = 0; k < width_; ++k) base[k] = weights[k] * inverse_unit[k];
    std::fill_n(sums, width_, 0.0F);
    std::fill_n(squares, width_, 0.0F);
    return;
  }
  for (size_t k = 0; k < width_; ++k) {
    const float difference = Round(weights[k] * inverse_unit[k] - base[k]);
    sums[k] += difference;
    squares[k] += difference * difference;
  }
}

void CountVariances::Variances(size_t word, size_t topics, double* row) const {
  const float* sums = Row(sums_, word);
  const float* squares = Row(squares_, word);
  const double n = static_cast<double>(sweeps_);
  const double of_mean = 1 + std::min(1.0, kSweepsOfADraw / n);
  for (size_t k = 0; k < topics; ++k) {
    const double sum = static_cast<double>(sums[k]);
    const double between = (static_cast<double>(squares[k]) - sum * sum / n) / (n - 1);
    row[k] = of_mean * std::max(0.0, between);
  }
}

}  // namespace sda::lda
