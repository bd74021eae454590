#ifndef SDA_LDA_VB_VB_START_H_
#define SDA_LDA_VB_VB_START_H_

#include <cstdint>
#include <span>

#include "base/hash.h"
#include "lda/backend.h"
#include "lda/noise.h"
#include "sda/keyed_rows.h"
#include "sda/lda_vb.h"

namespace sda::lda {

// The noise of a minibatch: that of the seed alone while nothing was folded, so that all workers
// break the symmetry of the topics in the same way; later other noise for every minibatch and seed.
inline Noise StartNoise(const VbOptions& options, int topics, uint64_t key, bool nothing_folded) {
  constexpr uint64_t kNoise = 6;  // what the random numbers are for
  return Noise(nothing_folded ? options.seed : Key(options.seed, kNoise, key), topics,
               options.noise_scale);
}

// Where lambda starts: at the prior, at noise, or at the sum of both. As long as the arguments
// live.
Topics StartTopics(LdaStart start, const KeyedRows& prior, std::span<const uint64_t> words,
                   uint64_t vocabulary, const Noise& noise, std::span<const double> noise_sums);

// The parameters themselves, as long as they live.
Topics TopicsOf(const KeyedRows& rows, std::span<const uint64_t> words, uint64_t vocabulary);

}  // namespace sda::lda

#endif  // SDA_LDA_VB_VB_START_H_
