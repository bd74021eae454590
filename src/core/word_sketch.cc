#include "sda/word_sketch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>

#include "base/hash.h"
#include "base/varint.h"
#include "sda/errors.h"

namespace sda {
namespace {

constexpr uint64_t kMostCount = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kColumnsPerWord = 8;

uint64_t TakeNumber(std::string_view* bytes) {
  if (const auto number = TakeVarint(bytes)) return *number;
  throw InputError("a sketch of words is cut off");
}

}  // namespace

WordSketch::WordSketch(uint64_t width) {
  if (!std::has_single_bit(width) || width < kLeastWidth || width > kMostWidth) {
    throw std::logic_error("a sketch of words cannot have the width " + std::to_string(width));
  }
  counts_.assign(kRows * width, 0);
}

WordSketch WordSketch::For(uint64_t words) {
  const uint64_t columns = std::min(words, kMostWidth / kColumnsPerWord) * kColumnsPerWord;
  return WordSketch(std::bit_ceil(std::max(columns, kLeastWidth)));
}

uint64_t WordSketch::Place(int row, uint64_t key) const {
  return row * width() + (Mix(key + static_cast<uint64_t>(row)) & (width() - 1));
}

uint64_t WordSketch::Count(uint64_t key) const {
  uint64_t least = kMostCount;
  for (int row = 0; row < kRows; ++row) {
    least = std::min<uint64_t>(least, counts_[Place(row, key)]);
  }
  return least;
}

uint64_t WordSketch::Add(uint64_t key, uint64_t count) {
  const uint64_t before = Count(key);
  const uint64_t now = before + std::min(count, kMostCount - before);
  for (int row = 0; row < kRows; ++row) {
    uint32_t& counter = counts_[Place(row, key)];
    counter = std::max(counter, static_cast<uint32_t>(now));
  }
  return now;
}

// The width, how many counters are not 0, and of each how many before it are 0, and itself.
void WordSketch::AppendTo(std::string* bytes) const {
  PutVarint(width(), bytes);
  PutVarint(counts_.size() - std::count(counts_.begin(), counts_.end(), 0u), bytes);
  uint64_t zeros = 0;
  for (const uint32_t count : counts_) {
    if (count == 0) {
      ++zeros;
      continue;
    }
    PutVarint(zeros, bytes);
    PutVarint(count, bytes);
    zeros = 0;
  }
}

WordSketch WordSketch::Take(std::string_view* bytes) {
  const uint64_t width = TakeNumber(bytes);
  if (!std::has_single_bit(width) || width < kLeastWidth || width > kMostWidth) {
    throw InputError("a sketch of words has the width " + std::to_string(width));
  }
  const uint64_t set = TakeNumber(bytes);
  if (set > kRows * width || set > bytes->size() / 2) {
    throw InputError("a sketch of words is cut off");
  }
  WordSketch sketch(width);
  uint64_t next = 0;
  for (uint64_t i = 0; i < set; ++i) {
    const uint64_t zeros = TakeNumber(bytes);
    const uint64_t count = TakeNumber(bytes);
    if (zeros >= sketch.counts_.size() - next || count == 0 || count > kMostCount) {
      throw InputError("a sketch of words has a count that cannot be");
    }
    next += zeros;
    sketch.counts_[next++] = static_cast<uint32_t>(count);
    if (next == sketch.counts_.size() && i + 1 < set) {
      throw InputError("a sketch of words has a count that cannot be");
    }
  }
  return sketch;
}

}  // namespace sda
