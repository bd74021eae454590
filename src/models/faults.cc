#include "models/faults.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "sda/errors.h"

namespace sda {
namespace {

// Sums that are kept apart differ by rounding, over a long stream by no more than this share.
constexpr double kRounding = 1e-6;

std::string RangeText(const NumberRange& range) {
  return fmt::format("{}a number from {:g} to {:g}", range.or_zero ? "0 or " : "", range.least,
                     range.most);
}

}  // namespace

std::string FaultText(size_t number, const std::string& meaning, double value,
                      const NumberRange& range) {
  return fmt::format("number {} (from 0) of the posterior, {}, is {:g}, must be {}", number,
                     meaning, value, RangeText(range));
}

std::string FaultText(const std::string& name, double value, const NumberRange& range) {
  return fmt::format("{} is {:g}, must be {}", name, value, RangeText(range));
}

bool GoTogether(double product, double square, double other_square) {
  return std::abs(product) <= (1 + kRounding) * std::sqrt(square) * std::sqrt(other_square);
}

std::optional<std::string> FaultInTotals(const KeyedRows& rows) {
  const auto default_row = rows.default_row();
  std::vector<double> sums(rows.width());
  std::vector<double> sizes(rows.width(), 1.0);
  for (size_t r = 0; r < rows.rows(); ++r) {
    const auto row = rows.row(r);
    for (size_t k = 0; k < row.size(); ++k) {
      sums[k] += row[k] - default_row[k];
      sizes[k] += std::abs(row[k]) + std::abs(default_row[k]);
    }
  }
  for (size_t k = 0; k < sums.size(); ++k) {
    if (std::abs(rows.totals()[k] - sums[k]) <= kRounding * sizes[k]) continue;
    return fmt::format("the total of column {} (from 0) is {:g}, but its rows add up to {:g}", k,
                       rows.totals()[k], sums[k]);
  }
  return std::nullopt;
}

std::string NotSavedText(const std::string& fault) {
  return "the posterior is not valid, so it is not saved, and what was there stays: " + fault +
         "; look for numbers in the data or the options that are far too large";
}

PosteriorCopy CheckedWhenWritten(PosteriorCopy copy,
                                 std::function<std::optional<std::string>()> fault) {
  copy.write = [write = std::move(copy.write), fault = std::move(fault)](
                   CheckpointFolder& folder, const Progress& progress, const std::string& notes) {
    if (const auto found = fault()) throw InputError(folder.path() + ": " + NotSavedText(*found));
    write(folder, progress, notes);
  };
  return copy;
}

}  // namespace sda
