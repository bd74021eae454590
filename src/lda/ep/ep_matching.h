#ifndef SDA_LDA_EP_EP_MATCHING_H_
#define SDA_LDA_EP_EP_MATCHING_H_

#include <algorithm>
#include <cstddef>
#include <span>

namespace sda::lda {

// The Dirichlet that EP puts in place of (1 - r) Dirichlet(c) + r Dirichlet(c + e_v):
// scale * c + entry * e_v.
struct EpMatch {
  double scale;
  double entry;
};

// With the mixture's mean and average second moment (paper, equation of lambda hat). S is the sum
// of c, Q of its squares, c_v its entry at v. For mixtures of parts i with weights w_i, means m_i
// and precisions S_i, the average second moment gives
//
//   S_hat + 1 = (1 - |m|^2) / V,   V = sum of w_i (1 - |m_i|^2) / (S_i + 1) + w_i |m_i - m|^2
//
// and 1 - |m|^2 = sum of w_i (1 - |m_i|^2) + w_i |m_i - m|^2: sums of positive numbers, where the
// paper's form takes differences of nearly equal ones. The scale is never above 1: with p = c_v / S
// that is 2 (S + 1)(1 - p) >= S (1 - |c / S|^2), which holds since |c / S|^2 >= p^2.
inline EpMatch MatchMoments(double r, double c_v, double S, double Q) {
  const double S1 = S + 1;
  const double spread = (1 - r) * (1 - Q / (S * S));
  const double spread1 = r * (1 - (Q + 2 * c_v + 1) / (S1 * S1));
  const double between = r * (1 - r) * (S * (S - 2 * c_v) + Q) / (S * S * S1 * S1);
  const double variance = spread / S1 + spread1 / (S + 2) + between;
  // Without variance there is only one word, and any precision will do.
  const double sum = variance > 0 ? (spread + spread1 + between) / variance - 1 : S + r;
  return {std::min(1.0, sum * (S1 - r) / (S * S1)), sum * r / S1};
}

// gamma_hat: the same for sum_k r_k Dirichlet(g + e_k), into g.
void MatchProportions(std::span<const double> r, std::span<double> g);

// The Dirichlet whose E[log x_u] are `target`, by Newton's method (Minka, Estimating a Dirichlet
// distribution). On entry x are positive numbers to start from. Number u stands for words_u words.
void MatchLog(std::span<const double> target, std::span<const double> words, std::span<double> x);

// gamma_hat by matching E[log], into g.
void MatchProportionsLog(std::span<const double> r, std::span<double> g);

}  // namespace sda::lda

#endif  // SDA_LDA_EP_EP_MATCHING_H_
