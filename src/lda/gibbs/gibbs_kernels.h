#ifndef SDA_LDA_GIBBS_GIBBS_KERNELS_H_
#define SDA_LDA_GIBBS_GIBBS_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "lda/gibbs/gibbs_documents.h"

namespace sda::lda {

// The consecutive tokens of one document in one cell. In a very long document a "token" is a block
// of this number of tokens of one word, which have one topic (BlockTokens() of documents.h): to the
// sampler they are one observation of that weight. That is an approximation, for documents that no
// one wrote; the sums are exact.
struct GibbsPiece {
  uint32_t document;
  uint32_t begin;  // of the tokens
  uint32_t end;
  uint32_t weight = 1;
};

// What is known of each word besides its row of weights.
struct GibbsWord {
  float smooth = 0;  // sum_k smoothing_k weights_k
  double share = 0;  // sum of 1 / sum_k p_k over the tokens whose means have been added
};

// What one cell reads and writes while its tokens are sampled once. Rows have `width` numbers, a
// multiple of the vector; their padding is zero. The weights of the topics are
//
//   p_k ~ (n_dk factor_k + smoothing_k) weights_kv,   weights_kv = (lambda_kv + n_kv) unit_k
//
// and where 1 / sum_k, sum_k = sum_v lambda_kv + n_k, is part of them depends:
//
// - exact: every token sees all changes before it. unit_k = 1, factor_k = 1 / sum_k and
//   smoothing_k = alpha_k / sum_k, kept up to date; so all weights of a word have to be looked at.
// - not exact: unit_k = 1 / sum_k of the start of the sweep, factor_k = 1, smoothing_k = alpha_k.
//   A few documents go side by side, and none sees the tokens that the others are at.
struct GibbsCell {
  std::span<const GibbsPiece> pieces;       // of weight 1
  std::span<const GibbsPiece> long_pieces;  // of very long documents
  const uint32_t* token_words = nullptr;    // number of the word of each token
  uint32_t* token_topics = nullptr;

  size_t topic_count = 0;
  size_t width = 0;
  const double* alpha = nullptr;
  const float* unit = nullptr;  // rows
  float* factor = nullptr;
  float* smoothing = nullptr;
  DocumentTopics* documents = nullptr;
  GibbsWord* words = nullptr;
  // A row for each word. Changed by one token at a time: so that rounding does not add up,
  // the caller computes them again from time to time.
  float* weights = nullptr;
  float least = 0;  // no weight is below it
  // If not null, p_k / sum_k p_k of each token is added to its word's row; but of the part with
  // smoothing_k, in cells that are not exact, what AddSmooth() adds at the end is left out.
  double* means = nullptr;
  const double* sums = nullptr;  // sum_k of the start of the sweep
  int64_t* moved = nullptr;      // changes of n_k since, by this group of documents
  bool exact = true;
  bool first = false;  // whether the tokens have no topics yet; then there are no means

  uint64_t key = 0;  // of the random numbers, which are hashes of it and the token's position
};

void SampleCell(const GibbsCell& cell);

// sum_k smoothing_k weights_k.
float Smooth(const float* smoothing, const float* weights, size_t width);
// means_k += share smoothing_k weights_k.
void AddSmooth(double share, const float* smoothing, const float* weights, size_t width,
               double* means);

}  // namespace sda::lda

#endif  // SDA_LDA_GIBBS_GIBBS_KERNELS_H_
