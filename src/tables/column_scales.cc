#include "tables/column_scales.h"

#include <algorithm>
#include <cmath>

namespace sda {
namespace {

std::vector<double> ColumnOf(const Table& table, size_t column) {
  std::vector<double> values;
  values.reserve(table.size());
  for (size_t i = 0; i < table.size(); ++i) values.push_back(table.row(i)[column]);
  return values;
}

double MeanOf(const std::vector<double>& values) {
  double mean = 0;
  for (size_t i = 0; i < values.size(); ++i) mean += (values[i] - mean) / (i + 1.0);
  return mean;
}

double ScaleOf(const std::vector<double>& values, double mean) {
  if (values.empty()) return 1;
  const double first = values[0];
  double other = first;
  bool two_values = true;
  double squares = 0;
  for (const double x : values) {
    if (other == first) other = x;
    two_values = two_values && (x == first || x == other);
    const double deviation = x - mean;
    squares += deviation * deviation / static_cast<double>(values.size());
  }
  const double scale = two_values ? std::abs(other - first) : std::sqrt(squares);
  return scale > 0 ? scale : 1;
}

// Whether there were any.
bool LeaveOutOutliers(std::vector<double>* values) {
  constexpr double kQuartilesOfNormal = 1.349;  // standard deviations between them
  if (values->empty()) return false;
  std::vector<double> sorted = *values;
  std::sort(sorted.begin(), sorted.end());
  const size_t n = sorted.size();
  const double spread = (sorted[n - 1 - n / 4] - sorted[n / 4]) / kQuartilesOfNormal;
  if (!(spread > 0)) return false;
  const double median = sorted[n / 2];
  auto is_far = [&](double x) { return std::abs(x - median) > kOutlier * spread; };
  const size_t far = std::count_if(sorted.begin(), sorted.end(), is_far);
  if (far == 0 || far > std::max<size_t>(1, n / 100)) return false;
  std::erase_if(*values, is_far);
  return true;
}

ColumnScales ScalesOf(const Table& table, bool outliers_count, const Context& context) {
  ColumnScales scales;
  for (size_t c = 0; c < table.columns; ++c) {
    context.ThrowIfInterrupted();
    std::vector<double> values = ColumnOf(table, c);
    if (!outliers_count && LeaveOutOutliers(&values)) scales.with_outliers.push_back(c);
    scales.origin.push_back(MeanOf(values));
    scales.scale.push_back(ScaleOf(values, scales.origin.back()));
  }
  return scales;
}

}  // namespace

ColumnScales ScalesOfAll(const Table& table, const Context& context) {
  return ScalesOf(table, true, context);
}

ColumnScales ScalesWithoutOutliers(const Table& table, const Context& context) {
  return ScalesOf(table, false, context);
}

}  // namespace sda
