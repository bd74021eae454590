#include "topics/assignment.h"

#include <algorithm>
#include <limits>

namespace sda {
namespace {

// The Hungarian method (Kuhn 1955), with potentials and one row after the other. cost = -value;
// cost(i, j) - of_row[i] - of_column[j] is never negative, and 0 where a row has its column, so
// that no other assignment of these rows costs less.
class Assignment {
 public:
  Assignment(std::span<const double> values, size_t size)
      : values_(values),
        size_(size),
        of_row_(size),
        of_column_(size),
        row_of_(size, kNone),
        before_(size) {}

  // Gives the row a column; rows before it may get others.
  void Add(size_t row) {
    std::fill(before_.begin(), before_.end(), kNone);
    size_t column = Reach(row);
    while (column != kNone) {  // along the path that was found, each row takes the next column
      const size_t previous = before_[column];
      row_of_[column] = previous == kNone ? row : row_of_[previous];
      column = previous;
    }
  }

  std::vector<size_t> Columns() const {
    std::vector<size_t> columns(size_);
    for (size_t j = 0; j < size_; ++j) columns[row_of_[j]] = j;
    return columns;
  }

 private:
  static constexpr size_t kNone = ~size_t{0};

  double Slack(size_t row, size_t column) const {
    return -values_[row * size_ + column] - of_row_[row] - of_column_[column];
  }

  // The shortest path from the row to a free column, which is returned; before_ is the column
  // before each on it. As in Dijkstra's algorithm, but the potentials grow with the distance.
  size_t Reach(size_t row) {
    std::vector<double> distance(size_, std::numeric_limits<double>::infinity());
    std::vector<bool> done(size_);
    std::vector<size_t> rows = {row};  // reached
    size_t from = kNone;               // the column that led to the row
    for (size_t now = row;;) {
      size_t nearest = kNone;
      for (size_t j = 0; j < size_; ++j) {
        if (done[j]) continue;
        if (const double slack = Slack(now, j); slack < distance[j]) {
          distance[j] = slack;
          before_[j] = from;
        }
        if (nearest == kNone || distance[j] < distance[nearest]) nearest = j;
      }
      const double step = distance[nearest];
      for (const size_t i : rows) of_row_[i] += step;
      for (size_t j = 0; j < size_; ++j) done[j] ? of_column_[j] -= step : distance[j] -= step;
      if (row_of_[nearest] == kNone) return nearest;
      done[nearest] = true;
      from = nearest;
      now = row_of_[nearest];
      rows.push_back(now);
    }
  }

  const std::span<const double> values_;
  const size_t size_;
  std::vector<double> of_row_, of_column_;
  std::vector<size_t> row_of_;  // by column
  std::vector<size_t> before_;  // by column
};

}  // namespace

std::vector<size_t> LargestAssignment(std::span<const double> values, size_t size) {
  Assignment assignment(values, size);
  for (size_t i = 0; i < size; ++i) assignment.Add(i);
  return assignment.Columns();
}

}  // namespace sda
