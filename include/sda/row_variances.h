#ifndef SDA_ROW_VARIANCES_H_
#define SDA_ROW_VARIANCES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sda/export.h"
#include "sda/thread_pool.h"

namespace SDA_EXPORT sda {

class KeyedRows;

// The companion of keyed rows that are sums of estimates: a variance for each of their numbers.
// With counts of words in topics as rows, it is what comes from not knowing the topic of each word.
// It is no part of the rows: their sums and their mass are the same with and without it.
//
// The variances of different minibatches add up; those of what is multiplied by c are multiplied by
// c squared. They may be unknown: of an approximation that does not have them, of a file of an
// earlier version, of a part of the rows. A sum with something unknown is unknown.
class RowVariances {
 public:
  // Known, and zero: rows that were counted, not estimated.
  RowVariances();
  // Of rows with a default row of zeros.
  explicit RowVariances(KeyedRows rows);
  static RowVariances Unknown();
  RowVariances(const RowVariances& other);
  RowVariances& operator=(const RowVariances& other);
  RowVariances(RowVariances&&) noexcept;
  RowVariances& operator=(RowVariances&&) noexcept;
  ~RowVariances();

  bool known() const { return known_; }
  // Null if they are unknown, or all zero.
  const KeyedRows* rows() const { return rows_.get(); }
  // Of the row of a key; empty if that is all zero or unknown.
  std::span<const double> At(uint64_t key) const;

  // Adds sign (1 or -1) times the other ones.
  void Add(const RowVariances& other, double sign, ThreadPool* pool);
  void Multiply(double factor);
  // As KeyedRows'.
  void MapKeys(const std::function<uint64_t(uint64_t key)>& map);
  void Remove(const std::vector<uint64_t>& keys);

  // Reading what was written; Read throws InputError. What was written before there were variances
  // is empty: unknown.
  void Write(const std::function<void(std::string_view bytes)>& sink) const;
  static RowVariances Read(std::string_view bytes, size_t width);

 private:
  friend class KeyedRows;
  // Takes what Write() wrote off the front of bytes.
  static RowVariances Take(std::string_view* bytes, size_t width);

  bool known_ = true;
  std::unique_ptr<KeyedRows> rows_;
};

}  // namespace sda

#endif  // SDA_ROW_VARIANCES_H_
