#include "data/text/word_table.h"

#include <cstring>
#include <utility>

namespace sda {
namespace {

constexpr size_t kFirstSlots = 1024;

uint64_t Mix(uint64_t value) {
  value *= 0x9e3779b97f4a7c15;  // the golden ratio: spreads every bit upwards
  return value ^ (value >> 32);
}

}  // namespace

WordTable::WordTable() : slots_(kFirstSlots) {}

std::string_view WordTable::word(uint32_t number) const {
  const uint64_t begin = number == 0 ? 0 : ends_[number - 1];
  return std::string_view(letters_).substr(begin, ends_[number] - begin);
}

uint64_t WordTable::Hash(std::string_view word) {
  uint64_t hash = word.size();
  const char* p = word.data();
  size_t left = word.size();
  for (; left >= 8; p += 8, left -= 8) {
    uint64_t eight;
    std::memcpy(&eight, p, 8);
    hash = Mix(hash ^ eight);
  }
  uint64_t tail = 0;
  if (left > 0) std::memcpy(&tail, p, left);
  return Mix(Mix(hash ^ tail));
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
  return slots_[SlotOf(word, Hash(word))].number;
}

uint32_t WordTable::Add(std::string_view word) {
  const uint64_t hash = Hash(word);
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
    slots_[SlotOf(moved, Hash(moved))] = slot;
  }
}

}  // namespace sda
