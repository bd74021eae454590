#ifndef SDA_LDA_VB_LOG_SPACE_H_
#define SDA_LDA_VB_LOG_SPACE_H_

#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sda::lda {

// n phi_k for all topics of one word, phi_k proportional to exp(digamma(gamma_k) + E[log beta_k]).
// Slow and safe: for the few words whose normaliser underflows. out holds E[log beta] on entry.
template <class T>
void LogSpacePhi(const std::vector<T>& gamma, double count, double* out) {
  const size_t topics = gamma.size();
  double top = -HUGE_VAL;
  for (size_t k = 0; k < topics; ++k) {
    out[k] += boost::math::digamma(static_cast<double>(gamma[k]));
    top = std::fmax(top, out[k]);
  }
  double sum = 0;
  for (size_t k = 0; k < topics; ++k) sum += out[k] = std::exp(out[k] - top);
  for (size_t k = 0; k < topics; ++k) out[k] *= count / sum;
}

}  // namespace sda::lda

#endif  // SDA_LDA_VB_LOG_SPACE_H_
