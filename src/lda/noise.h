#ifndef SDA_LDA_NOISE_H_
#define SDA_LDA_NOISE_H_

#include <cstdint>
#include <vector>

#include "base/hash.h"

namespace sda::lda {

// The noise that starts an ascent: noise_kv = scale * (5 + 2 u) / 6 with u a hash of (seed, topic,
// word), the same wherever it is computed. Mean scale, deviation 0.096 scale.
class Noise {
 public:
  Noise(uint64_t seed, int topics, double scale) : scale_(scale), keys_(topics) {
    for (int k = 0; k < topics; ++k) keys_[k] = Mix(Mix(seed) ^ (4 + static_cast<uint64_t>(k)));
  }

  double At(size_t topic, uint64_t word) const {
    return scale_ * (5 + 2 * Uniform(Mix(keys_[topic] ^ (word + 1)))) / 6;
  }

  // out_k += noise of topic k and this word (ids from 0).
  void AddTo(uint64_t word, double* out) const {
    for (size_t k = 0; k < keys_.size(); ++k) out[k] += At(k, word);
  }

  double mean() const { return scale_; }

 private:
  double scale_;
  std::vector<uint64_t> keys_;
};

}  // namespace sda::lda

#endif  // SDA_LDA_NOISE_H_
