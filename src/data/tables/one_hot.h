#ifndef SDA_DATA_TABLES_ONE_HOT_H_
#define SDA_DATA_TABLES_ONE_HOT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/seeded_hash.h"

namespace sda {

// A column of text that a regression sees as columns of 0 and 1, one for each of its levels but the
// first, the reference: coefficients are differences from it. All levels would add up to the
// intercept, and with a flat prior there would be no posterior. If there is no intercept, one such
// column has all its levels instead.
struct OneHotColumn {
  std::string column;
  std::vector<std::string> levels;  // the reference first; empty: not known yet
  bool all_levels = false;

  size_t width() const { return levels.size() - (all_levels ? 0 : 1); }
  std::vector<std::string> Names() const;  // "city=paris", of each column of 0 and 1

  bool operator==(const OneHotColumn&) const = default;
};

// Reads the levels of one such column.
class LevelReader {
 public:
  static constexpr size_t kMostLevels = 1000;

  explicit LevelReader(OneHotColumn column);

  const OneHotColumn& column() const { return column_; }
  bool known() const { return !column_.levels.empty(); }

  // While the levels are not known: the number of this one, new or not.
  size_t Learn(std::string_view level);
  // They are those learnt: the most frequent is the reference, since its rows are the most to
  // compare with, and since rows with an unknown level then count as the most usual ones; the
  // others are in alphabetical order.
  void Settle();
  size_t learnt() const { return names_.size(); }

  // Appends the columns of 0 and 1. False if the level is unknown: it counts as the reference.
  bool Append(std::string_view level, std::vector<double>* values) const;
  // Of one that was learnt; false if it is not among those that were declared.
  bool AppendLearnt(size_t number, std::vector<double>* values) const;

 private:
  void AppendPlace(size_t place, std::vector<double>* values) const;

  struct Hash {  // with a key that each process draws: levels come from outside
    size_t operator()(const std::string& name) const { return SeededHash()(name); }
  };
  OneHotColumn column_;
  std::unordered_map<std::string, size_t, Hash> places_;  // of the levels in column_
  std::vector<std::string> names_;                        // learnt, as first seen
  std::vector<uint64_t> rows_;                            // of each
  std::unordered_map<std::string, size_t, Hash> numbers_;
};

}  // namespace sda

#endif  // SDA_DATA_TABLES_ONE_HOT_H_
