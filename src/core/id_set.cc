#include "sda/id_set.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "sda/errors.h"

namespace sda {

IdSet IdSet::FirstOnes(uint64_t count) {
  IdSet set;
  if (count > 0) set.intervals_.push_back({0, count});
  set.size_ = count;
  return set;
}

bool IdSet::Insert(uint64_t id) {
  if (id == std::numeric_limits<uint64_t>::max()) {
    throw InputError("minibatch id " + std::to_string(id) + " is reserved");
  }
  // The first interval that begins after id; ids mostly come in order, so look at the end first.
  auto next = intervals_.end();
  if (!intervals_.empty() && id < intervals_.back().begin) {
    next = std::upper_bound(intervals_.begin(), intervals_.end(), id,
                            [](uint64_t x, const Interval& i) { return x < i.begin; });
  }
  const bool has_previous = next != intervals_.begin();
  if (has_previous && id < std::prev(next)->end) return false;
  const bool joins_previous = has_previous && std::prev(next)->end == id;
  const bool joins_next = next != intervals_.end() && next->begin == id + 1;
  if (joins_previous && joins_next) {
    std::prev(next)->end = next->end;
    intervals_.erase(next);
  } else if (joins_previous) {
    std::prev(next)->end = id + 1;
  } else if (joins_next) {
    next->begin = id;
  } else {
    intervals_.insert(next, {id, id + 1});
  }
  ++size_;
  return true;
}

bool IdSet::Contains(uint64_t id) const {
  if (intervals_.empty() || id >= intervals_.back().end) return false;
  auto next = std::upper_bound(intervals_.begin(), intervals_.end(), id,
                               [](uint64_t x, const Interval& i) { return x < i.begin; });
  return next != intervals_.begin() && id < std::prev(next)->end;
}

std::string IdSet::Serialize() const {
  return {reinterpret_cast<const char*>(intervals_.data()), intervals_.size() * sizeof(Interval)};
}

IdSet IdSet::Deserialize(std::string_view bytes) {
  if (bytes.size() % sizeof(Interval) != 0) throw InputError("set of ids is cut off");
  IdSet set;
  set.intervals_.resize(bytes.size() / sizeof(Interval));
  if (!bytes.empty()) std::memcpy(set.intervals_.data(), bytes.data(), bytes.size());
  uint64_t gap_end = 0;
  bool first = true;
  for (const Interval& i : set.intervals_) {
    if (i.begin >= i.end || (!first && i.begin <= gap_end)) {
      throw InputError("set of ids is not in order");
    }
    set.size_ += i.end - i.begin;
    gap_end = i.end;
    first = false;
  }
  return set;
}

}  // namespace sda
