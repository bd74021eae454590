#ifndef SDA_DATA_TEXT_WORD_TABLE_H_
#define SDA_DATA_TEXT_WORD_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/seeded_hash.h"

namespace sda {

// Words and their numbers, in the order in which they were added: 0, 1, 2, ...
class WordTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  WordTable();
  explicit WordTable(const SeededHash& hash);

  uint32_t size() const { return static_cast<uint32_t>(ends_.size()); }
  std::string_view word(uint32_t number) const;

  // The number of a word, kNone if it is not in the table.
  uint32_t Find(std::string_view word) const;
  // The number of a word, which is added if it is not in the table.
  uint32_t Add(std::string_view word);

 private:
  struct Slot {
    uint32_t hash = 0;  // its upper half, which does not follow from the index of the slot
    uint32_t number = kNone;
  };

  // The slot that has the word or, if none has, the free one for it.
  size_t SlotOf(std::string_view word, uint64_t hash) const;
  void Grow();

  SeededHash hash_;          // decides places in slots_, and nothing else
  std::vector<Slot> slots_;  // a power of two of them, at most half of them taken
  std::string letters_;      // of all words, one after the other
  std::vector<uint64_t> ends_;
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_WORD_TABLE_H_
