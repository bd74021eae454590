#ifndef SDA_LDA_INFER_OVER_TIME_SAMPLER_H_
#define SDA_LDA_INFER_OVER_TIME_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lda/minibatch.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/over_time.h"
#include "sda/thread_pool.h"

namespace sda::lda {

// Collapsed Gibbs sampling of documents under topics that are known, those of one time under a
// prior of their own:
//
//   p(z_i = k | the other z of the document) ~ (n_dk + alpha_bk) beta_kw
//
// Topics come and go, so the proportions of a document of bucket b have the prior alpha_b, whose
// sum is that of the model's alpha. It is found from the documents of the bucket as they are
// sampled, by Minka's fixed point. With the model's alpha, the same at all times, shares would be
// drawn towards it, those of every document a little, and the sum of many would be far off.
class OverTimeSampler {
 public:
  // All must outlive this. Documents have buckets 0, 1, ..., or kNoBucket: they are left out.
  struct Input {
    const Documents& documents;
    const KeyedRows& topics;  // of the words of the documents, at least
    const LdaSpec& spec;
    std::span<const uint32_t> buckets;
    uint64_t seed = 1;
  };
  static constexpr uint32_t kNoBucket = ~uint32_t{0};
  OverTimeSampler(const Input& input, ThreadPool* pool);

  // Draws a topic for each token, and then the priors of the buckets anew.
  void Sweep();

  // The tokens of a document: [first(d), first(d + 1)). A token is a block of a very long document.
  size_t first(size_t d) const { return first_[d]; }
  struct Token {
    uint32_t word = 0;  // its number
    uint32_t tokens = 1;
  };
  const std::vector<Token>& tokens() const { return tokens_; }
  const std::vector<uint32_t>& token_topics() const { return token_topics_; }
  // Of the word with a number: its id, and its parameter.
  uint64_t id(uint32_t word) const { return index_.words[word]; }
  double parameter(uint32_t word, size_t topic) const {
    return static_cast<double>(beta_[word * topics_ + topic]) * sums_[topic];
  }

 private:
  struct Scratch;
  void PlaceTokens();
  void Sample(size_t d, uint64_t key, Scratch* scratch);
  void UpdatePriors();

  const Input input_;
  ThreadPool* const pool_;
  const WordIndex index_;
  const size_t topics_;
  std::vector<double> sums_;  // of the topics, over the vocabulary
  std::vector<float> beta_;   // words x topics
  std::vector<float> alpha_;  // buckets x topics
  std::vector<size_t> first_;
  std::vector<Token> tokens_;
  std::vector<uint32_t> token_topics_;
  uint64_t sweep_ = 0;
};

}  // namespace sda::lda

#endif  // SDA_LDA_INFER_OVER_TIME_SAMPLER_H_
