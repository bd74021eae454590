#ifndef SDA_LDA_GIBBS_KERNELS_H_
#define SDA_LDA_GIBBS_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace sda::lda {

// The consecutive tokens of one document in one cell.
struct GibbsPiece {
  uint32_t document;
  uint32_t begin;  // of the tokens
  uint32_t end;
};

inline constexpr uint32_t kNoTopic = ~uint32_t{0};

// What one cell reads and writes while its tokens are sampled once. Rows have `width` numbers, a
// multiple of the vector; the padding of weights is zero.
struct GibbsCell {
  std::span<const GibbsPiece> pieces;
  const uint32_t* words = nullptr;  // row of the word of each token
  uint32_t* topics = nullptr;       // of each token; kNoTopic before the first

  size_t topic_count = 0;
  size_t width = 0;
  const float* alpha = nullptr;      // a row
  float* document_counts = nullptr;  // n_dk, a row for each document
  int32_t* word_counts = nullptr;    // n_kv, a row for each word
  // lambda_kv + n_kv, a row for each word. Changed by one at a time: so that rounding does not add
  // up, whoever calls makes them anew from time to time.
  float* weights = nullptr;
  float least = 0;         // lambda_kv is never below it
  float* means = nullptr;  // if not null, p(z = k) of each token is added to its word's row
  double* sums = nullptr;  // sum_v lambda_kv + n_k, the cell's own copy

  // Whether every token sees all changes before it. If not, two documents go side by side, and what
  // one of them does to n_k the other may see only when it goes on to its next piece.
  bool exact = true;

  uint64_t key = 0;  // of the random numbers, which are hashes of it and the token's position
};

void SampleCell(const GibbsCell& cell);

}  // namespace sda::lda

#endif  // SDA_LDA_GIBBS_KERNELS_H_
