#ifndef SDA_TESTS_BASE_PREPARED_KEYS_H_
#define SDA_TESTS_BASE_PREPARED_KEYS_H_

#include <cstdint>
#include <ctime>
#include <unordered_set>
#include <vector>

#include "base/hash.h"

namespace sda {

// Numbers that an attacker chooses so that a table of them, without a secret, has them all in one
// place.

// For a table of a power of two slots that begins its search where SpreadBits() says.
inline std::vector<uint64_t> KeysOfOneSlot(size_t count) {
  uint64_t slots = 16;
  while (slots < 4 * count) slots *= 2;
  const uint64_t first_slots = slots / 256;
  std::vector<uint64_t> keys;
  for (uint64_t key = 1; keys.size() < count; ++key) {
    if ((SpreadBits(key) & (slots - 1)) < first_slots) keys.push_back(key);
  }
  return keys;
}

// The buckets that a table of the standard library has for so many numbers: each is in the bucket
// of its remainder.
inline uint64_t BucketsOf(size_t count) {
  std::unordered_set<uint64_t> table;
  for (uint64_t key = 0; key < count; ++key) table.insert(key);
  return table.bucket_count();
}

inline std::vector<uint64_t> KeysOfOneBucket(size_t count) {
  std::vector<uint64_t> keys;
  const uint64_t buckets = BucketsOf(count);
  for (uint64_t i = 1; i <= count; ++i) keys.push_back(i * buckets);
  return keys;
}

// As many that nobody chose.
inline std::vector<uint64_t> OrdinaryKeys(size_t count) {
  std::vector<uint64_t> keys;
  for (uint64_t i = 1; i <= count; ++i) keys.push_back(i * 7);
  return keys;
}

// Of the processor.
template <class Work>
double SecondsOf(const Work& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace sda

#endif  // SDA_TESTS_BASE_PREPARED_KEYS_H_
