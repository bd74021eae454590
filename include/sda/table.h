#ifndef SDA_TABLE_H_
#define SDA_TABLE_H_

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// Numbers in tables are 0 or, in size, from the one to the other: their squares are numbers, too.
inline constexpr double kLeastNumber = 1e-150;
inline constexpr double kLargestNumber = 1e150;

// Rows of numbers: the minibatch type of the models on tables. A cell of a categorical column holds
// the number of its category.
struct Table {
  size_t columns = 1;
  std::vector<double> values;  // row by row

  size_t size() const { return values.size() / columns; }
  std::span<const double> row(size_t i) const { return {values.data() + i * columns, columns}; }
};

// Minibatches of `rows` rows each, in order; the last may be shorter.
std::vector<Table> Split(const Table& table, size_t rows);

// Names numbered from 0 in the order in which they were first seen.
class Dictionary {
 public:
  size_t NumberOf(const std::string& name);  // a new name gets the next number
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Hash {  // with a key that each process draws: names come from outside
    size_t operator()(const std::string& name) const;
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, size_t, Hash> numbers_;
};

}  // namespace sda

#endif  // SDA_TABLE_H_
