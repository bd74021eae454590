#ifndef SDA_MODELS_FAULTS_H_
#define SDA_MODELS_FAULTS_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "sda/checkpoint.h"
#include "sda/keyed_rows.h"

namespace sda {

// What the models' FaultIn() share: the numbers that a posterior may hold. Within these ranges
// means, standard deviations and quantiles can be computed, and what can still not be shown is
// found by Describe().
struct NumberRange {
  double least;
  double most;
  bool or_zero = false;

  // Never of a NaN.
  bool Holds(double x) const { return (x >= least && x <= most) || (or_zero && x == 0); }
};

// Parameters that are counts of what was seen, to which the prior adds its own: rows, and the
// parameters of a Beta, a Dirichlet or a Gamma. A number of 64 bits is less than the largest.
inline constexpr NumberRange kCounts{1e-20, 1e20};
// The same where the prior may add nothing.
inline constexpr NumberRange kCountsOrZero{1e-20, 1e20, true};
// Sums over rows of products of two numbers, each of at most 1e150.
inline constexpr NumberRange kSums{-1e305, 1e305};
inline constexpr NumberRange kSquares{0, 1e305};
// Proper Gaussians by their precision and precision times mean: all means are finite.
inline constexpr NumberRange kPrecisions{1e-50, 1e200};
inline constexpr NumberRange kLinears{-1e200, 1e200};

// "number 3 of the posterior, the rows of column "x", is nan, must be a number from 1e-20 to
// 1e+20".
std::string FaultText(size_t number, const std::string& meaning, double value,
                      const NumberRange& range);
// The same without the place: "KEY is nan, must be ...".
std::string FaultText(const std::string& name, double value, const NumberRange& range);

// Whether a sum of products is within what the sums of the two squares allow (Cauchy and Schwarz),
// but for rounding.
bool GoTogether(double product, double square, double other_square);

// What is wrong with totals() of these rows, which are not a part of others: see KeyedRows.
std::optional<std::string> FaultInTotals(const KeyedRows& rows);

// The message about a posterior with this fault that was to be saved: a run must not replace what
// is there by it.
std::string NotSavedText(const std::string& fault);

// The same copy, but it is not written as a checkpoint if there is a fault: that throws InputError
// naming the folder, and its checkpoints stay.
PosteriorCopy CheckedWhenWritten(PosteriorCopy copy,
                                 std::function<std::optional<std::string>()> fault);

}  // namespace sda

#endif  // SDA_MODELS_FAULTS_H_
