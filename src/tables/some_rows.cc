#include "tables/some_rows.h"

#include <algorithm>
#include <cstddef>

namespace sda {
namespace {

// use(row) for each.
template <class Use>
void ForEachOfSome(size_t rows, const Use& use) {
  constexpr size_t kEnough = 64;
  constexpr size_t kMost = 512;
  const size_t some = std::min(rows, std::clamp(rows / 8, kEnough, kMost));
  for (size_t i = 0; i < some; ++i) use(i * rows / some);
}

}  // namespace

Table SomeOf(const Table& rows) {
  Table some{rows.columns, {}};
  ForEachOfSome(rows.size(), [&](size_t r) {
    const auto row = rows.row(r);
    some.values.insert(some.values.end(), row.begin(), row.end());
  });
  return some;
}

SparseRows SomeOf(const SparseRows& rows) {
  SparseRows some;
  ForEachOfSome(rows.size(), [&](size_t r) {
    for (size_t i = rows.begin(r); i < rows.ends[r]; ++i) {
      some.index.push_back(rows.index[i]);
      some.value.push_back(rows.value[i]);
    }
    some.ends.push_back(some.index.size());
    if (!rows.target.empty()) some.target.push_back(rows.target[r]);
  });
  return some;
}

}  // namespace sda
