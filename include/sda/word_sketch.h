#ifndef SDA_WORD_SKETCH_H_
#define SDA_WORD_SKETCH_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// Counts things by 64-bit keys in a fixed amount of memory: a count-min sketch with conservative
// updates. A count is never too low. It is too high by at most the sum of all counts / width, with
// high probability; of keys that are few compared with the width, it is right. The result depends
// on the order of the calls, and on nothing else: the same on every machine.
class WordSketch {
 public:
  static constexpr int kRows = 4;
  static constexpr uint64_t kLeastWidth = uint64_t{1} << 12;
  static constexpr uint64_t kMostWidth = uint64_t{1} << 24;

  // Width is a power of two, from kLeastWidth to kMostWidth. Memory: 16 bytes times width.
  explicit WordSketch(uint64_t width = kLeastWidth);
  // One that suits a vocabulary of this number of words: 8 columns a word.
  static WordSketch For(uint64_t words);

  uint64_t width() const { return counts_.size() / kRows; }
  uint64_t Count(uint64_t key) const;
  // Adds to the count of the key, and returns it. Counts stay below 2^32.
  uint64_t Add(uint64_t key, uint64_t count);

  // As bytes, which are few as long as few keys were counted.
  void AppendTo(std::string* bytes) const;
  // Takes them off the front of bytes; throws InputError if they are not there.
  static WordSketch Take(std::string_view* bytes);

  bool operator==(const WordSketch&) const = default;

 private:
  uint64_t Place(int row, uint64_t key) const;

  std::vector<uint32_t> counts_;  // rows x width
};

}  // namespace sda

#endif  // SDA_WORD_SKETCH_H_
