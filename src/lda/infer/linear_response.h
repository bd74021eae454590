#ifndef SDA_LDA_INFER_LINEAR_RESPONSE_H_
#define SDA_LDA_INFER_LINEAR_RESPONSE_H_

#include <span>
#include <vector>

#include "lda/infer/beta_mixture.h"
#include "lda/infer/known_topics.h"

namespace sda::lda {

// The proportions of one document by variational Bayes, with variances from linear response
// (Giordano, Broderick, Jordan 2015): how far E[theta_k] moves with a small change of the model,
// through the assignments of the tokens, too. docs/math.md has the derivation:
//   m_k (1 - m_k) / (g + 1) + ([(I - S)^-1]_kk - 1) / (g^2 psi'(gamma_k)),
// g = sum of gamma, m = gamma / g, S = D^1/2 L D^1/2, D = diag(psi'(gamma)) and
// L = sum_w n_w (diag(phi_w) - phi_w phi_w^T). Only topics with tokens are in S; if they are more
// than kMaxTopics, the largest of them: the others keep the first term.
class LinearResponse {
 public:
  static constexpr size_t kMaxTopics = 128;
  // In documents with fewer, its intervals are too narrow (docs/notes/performance.md).
  static constexpr double kEnoughTokens = 1000;

  // Gamma is the optimum for the document; it must outlive this.
  LinearResponse(const KnownTopics& topics, const KnownDocument& document,
                 std::span<const double> gamma);

  double Mean(size_t topic) const { return gamma_[topic] / sum_; }
  double Variance(size_t topic) const { return variances_[topic]; }
  // The Beta distribution with this mean and variance.
  BetaMixture Posterior(size_t topic) const;

 private:
  std::span<const double> gamma_;
  double sum_;
  std::vector<double> variances_;
};

}  // namespace sda::lda

#endif  // SDA_LDA_INFER_LINEAR_RESPONSE_H_
