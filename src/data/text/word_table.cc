#include "data/text/word_table.h"

#include <utility>

namespace sda {
namespace {

constexpr size_t kFirstSlots = 1024;

}  // namespace

WordTable::WordTable() : WordTable(SeededHash()) {}
WordTable::WordTable(const SeededHash& hash) : hash_(hash), slots_(kFirstSlots) {}

std::string_view WordTable::word(uint32_t number) const {
  const uint64_t begin = number == 0 ? 0 : ends_[number - 1];
  return std::string_view(letters_).substr(begin, ends_[number] - begin);
}

size_t WordTable::SlotOf(std::string_view word, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  const uint32_t upper = static_cast<uint32_t>(hash >> 32);
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.number == kNone) return at;
    if (slot.hash == upper && this->word(slot.number) == word) return at;
  }
}

uint32_t WordTable::Find(std::string_view word) const {
  return slots_[SlotOf(word, hash_(word))].number;
}

uint32_t WordTable::Add(std::string_view word) {
  const uint64_t hash = hash_(word);
  const size_t at = SlotOf(word, hash);
  if (slots_[at].number != kNone) return slots_[at].number;
  const uint32_t number = size();
  slots_[at] = {static_cast<uint32_t>(hash >> 32), number};
  letters_ += word;
  ends_.push_back(letters_.size());
  if (2 * ends_.size() > slots_.size()) Grow();
  return number;
}

void WordTable::Grow() {
  std::vector<Slot> old(2 * slots_.size());
  std::swap(old, slots_);
  for (const Slot& slot : old) {
    if (slot.number == kNone) continue;
    const std::string_view moved = word(slot.number);
    slots_[SlotOf(moved, hash_(moved))] = slot;
  }
}

}  // namespace sda
