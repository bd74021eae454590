#ifndef SDA_LDA_HASH_H_
#define SDA_LDA_HASH_H_

#include <cstdint>

namespace sda::lda {

// The splitmix64 output function.
inline uint64_t Mix(uint64_t z) {
  z += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// A hash of three numbers. Every random choice of the topic model is one of these, so that any
// language and any number of threads makes the same choice.
inline uint64_t Key(uint64_t s, uint64_t a, uint64_t b) { return Mix(Mix(Mix(s) ^ a) ^ b); }

// In [0, 1), a multiple of 2^-53.
inline double Uniform(uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1p-53; }

}  // namespace sda::lda

#endif  // SDA_LDA_HASH_H_
