#ifndef SDA_LDA_INFER_SAMPLED_PROPORTIONS_H_
#define SDA_LDA_INFER_SAMPLED_PROPORTIONS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lda/infer/beta_mixture.h"
#include "lda/infer/known_topics.h"

namespace sda::lda {

// The proportions of one document, sampled: given the topics of the tokens, theta_k is
// Beta(alpha_k + n_k, the rest), so its posterior is the mean of these over the sweeps.
class SampledProportions {
 public:
  // In longer documents linear response is as good, and its cost does not grow with the tokens.
  static constexpr double kMaxTokens = 2000;

  // Whether the document can be sampled: whole counts, and not too many.
  static bool Can(const KnownDocument& document);

  SampledProportions(const KnownTopics& topics, const KnownDocument& document,
                     std::span<const double> gamma, int sweeps);

  double Mean(size_t topic) const;
  BetaMixture Posterior(size_t topic) const;

 private:
  const KnownTopics& topics_;
  const double tokens_;
  const int sweeps_;
  std::vector<std::vector<uint32_t>> seen_;  // for each topic its tokens, after sweeps that had any
};

}  // namespace sda::lda

#endif  // SDA_LDA_INFER_SAMPLED_PROPORTIONS_H_
