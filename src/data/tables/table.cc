#include "sda/table.h"

#include <algorithm>

#include "base/seeded_hash.h"
#include "sda/errors.h"

namespace sda {

std::vector<Table> Split(const Table& table, size_t rows) {
  if (rows == 0) throw UsageError("rows of a minibatch is 0, must be at least 1");
  std::vector<Table> parts;
  for (size_t first = 0; first < table.size(); first += rows) {
    const size_t last = std::min(table.size(), first + rows);
    parts.push_back({table.columns,
                     {table.values.begin() + first * table.columns,
                      table.values.begin() + last * table.columns}});
  }
  return parts;
}

size_t Dictionary::Hash::operator()(const std::string& name) const { return SeededHash()(name); }

size_t Dictionary::NumberOf(const std::string& name) {
  const auto [entry, is_new] = numbers_.try_emplace(name, names_.size());
  if (is_new) names_.push_back(name);
  return entry->second;
}

}  // namespace sda
