#ifndef SDA_ID_SET_H_
#define SDA_ID_SET_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// A set of minibatch ids, kept as disjoint intervals: a stream that was folded without gaps is one
// interval however long it is, and out-of-order folding adds at most one interval per worker.
class IdSet {
 public:
  struct Interval {
    uint64_t begin;
    uint64_t end;  // exclusive
    bool operator==(const Interval&) const = default;
  };

  // 0, 1, 2, ..., so many.
  static IdSet FirstOnes(uint64_t count);

  // False, changing nothing, if id was in the set already. The largest id cannot be held.
  bool Insert(uint64_t id);
  bool Contains(uint64_t id) const;

  uint64_t size() const { return size_; }
  // One more than the largest id; 0 if there is none.
  uint64_t next() const { return intervals_.empty() ? 0 : intervals_.back().end; }
  // Ascending, disjoint, with a gap between neighbours.
  const std::vector<Interval>& intervals() const { return intervals_; }

  std::string Serialize() const;
  // Throws InputError if bytes are not what Serialize() returns.
  static IdSet Deserialize(std::string_view bytes);

  bool operator==(const IdSet&) const = default;

 private:
  std::vector<Interval> intervals_;
  uint64_t size_ = 0;
};

}  // namespace sda

#endif  // SDA_ID_SET_H_
