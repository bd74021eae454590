#ifndef SDA_BASE_HASH_H_
#define SDA_BASE_HASH_H_

#include <cstdint>
#include <string_view>

namespace sda {

// The finaliser of splitmix64: a bijection that spreads every bit over all others.
inline uint64_t SpreadBits(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// The splitmix64 output function.
inline uint64_t Mix(uint64_t z) { return SpreadBits(z + 0x9E3779B97F4A7C15); }

// A hash of three numbers. Every random choice of the topic model is one of these, so that any
// language and any number of threads makes the same choice.
inline uint64_t Key(uint64_t s, uint64_t a, uint64_t b) { return Mix(Mix(Mix(s) ^ a) ^ b); }

// In [0, 1), a multiple of 2^-53.
inline double Uniform(uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1p-53; }

// FNV-1a, the same for every build of the program. `so_far` is that of the bytes before these.
inline constexpr uint64_t kHashOfNothing = 14695981039346656037ull;
inline uint64_t Fnv1a(std::string_view bytes, uint64_t so_far = kHashOfNothing) {
  for (const unsigned char c : bytes) so_far = (so_far ^ c) * 1099511628211ull;
  return so_far;
}

}  // namespace sda

#endif  // SDA_BASE_HASH_H_
