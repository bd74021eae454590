#ifndef SDA_LDA_INFER_DOCUMENT_SAMPLER_H_
#define SDA_LDA_INFER_DOCUMENT_SAMPLER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lda/infer/known_topics.h"

namespace sda::lda {

// Collapsed Gibbs sampling of one document whose topics are known:
//   p(z_i = k | the other z) proportional to (n_k + alpha_k) beta_kw,  beta_kw = E[beta_kw],
// in two parts (Yao, Mimno, McCallum 2009): the topics that have tokens of the document, n_k
// beta_kw, of which there are few; and alpha_k beta_kw of all topics, whose sum is known for each
// distinct word, so that the topics are looked at only if this part is drawn. Random numbers are a
// hash of the document's words and counts: what is drawn depends on nothing else.
class DocumentSampler {
 public:
  // Counts must be whole numbers. Each token starts at a topic drawn with the proportions gamma.
  DocumentSampler(const KnownTopics& topics, const KnownDocument& document,
                  std::span<const double> gamma);

  // Draws a topic for each token.
  void Sweep();

  // The topics that have tokens, in any order, and how many.
  std::span<const uint32_t> used() const { return used_; }
  uint32_t tokens(size_t topic) const { return tokens_[topic]; }

 private:
  struct Token {
    uint32_t word;  // index of the distinct word
    uint32_t topic;
  };

  double Random();
  void Start(std::span<const double> gamma);
  void Add(uint32_t topic);
  void Remove(uint32_t topic);
  uint32_t Draw(uint32_t word);
  uint32_t DrawFromPrior(uint32_t word, double place) const;

  const KnownTopics& topics_;
  const KnownDocument& document_;
  const size_t blocks_;            // of topics
  std::vector<double> prior_;      // alpha_k / sum_v lambda_kv
  std::vector<double> of_blocks_;  // words x blocks: sums of alpha_k beta_kw up to a block's end
  std::vector<Token> document_tokens_;
  std::vector<uint32_t> tokens_;      // n_k
  std::vector<uint32_t> used_;        // k with n_k > 0
  std::vector<uint32_t> place_;       // of such k in used_
  std::vector<double> weights_;       // n_k / sum_v lambda_kv, in the order of used_
  std::vector<double> partial_sums_;  // scratch
  uint64_t random_;
};

}  // namespace sda::lda

#endif  // SDA_LDA_INFER_DOCUMENT_SAMPLER_H_
