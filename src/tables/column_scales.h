#ifndef SDA_TABLES_COLUMN_SCALES_H_
#define SDA_TABLES_COLUMN_SCALES_H_

#include <cstddef>
#include <vector>

#include "sda/context.h"
#include "sda/table.h"

namespace sda {

// Where a column's values are, and what one unit of it is to a prior: the standard deviation of its
// values, the difference if there are only two, and 1 if all are equal.
struct ColumnScales {
  std::vector<double> origin;         // the means: values near the data, from which squares lose no
                                      // digits
  std::vector<double> scale;          // of each column
  std::vector<size_t> with_outliers;  // columns some of whose values did not count
};

// Of all values. Both throw InterruptedError between two columns.
ColumnScales ScalesOfAll(const Table& table, const Context& context = Context());

// Of all but outliers: values further than kOutlier spreads, estimated from the quartiles, from the
// median, if they are at most one in a hundred, or one alone. None if the quartiles are equal.
inline constexpr double kOutlier = 20;
ColumnScales ScalesWithoutOutliers(const Table& table, const Context& context = Context());

}  // namespace sda

#endif  // SDA_TABLES_COLUMN_SCALES_H_
