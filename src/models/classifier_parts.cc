#include "models/classifier_parts.h"

#include <cmath>
#include <stdexcept>

#include "models/estimates.h"
#include "models/likelihood.h"
#include "sda/errors.h"

namespace sda {
namespace {

// Squares of larger numbers, times their sums, would overflow.
constexpr double kLargest = 1e70;

void CheckSize(const char* field, const std::vector<double>& values, size_t features) {
  if (!values.empty() && values.size() != features) {
    throw UsageError(std::string(field) + " has " + std::to_string(values.size()) +
                     " numbers for " + std::to_string(features) + " features");
  }
}

}  // namespace

void ClassifierOptions::Validate(size_t features) const {
  CheckPositive("sd", sd);
  CheckPositive("intercept_sd", intercept_sd);
  CheckSize("origin", origin, features);
  CheckSize("scale", scale, features);
  CheckOrigins(origin);
  CheckScales(scale);
  for (const double value : origin) {
    if (!intercept && value != 0) {
      throw UsageError("origin is " + std::to_string(value) + ", must be 0 without an intercept");
    }
  }
  if (!(tolerance > 0 && tolerance < 1)) {
    throw UsageError("tolerance is " + std::to_string(tolerance) + ", must be between 0 and 1");
  }
  if (max_passes < 1) {
    throw UsageError("max_passes is " + std::to_string(max_passes) + ", must be at least 1");
  }
}

SparseRows ToSparse(const Table& table, bool has_target) {
  SparseRows rows;
  const size_t features = table.columns - (has_target ? 1 : 0);
  for (size_t i = 0; i < table.size(); ++i) {
    const auto row = table.row(i);
    for (size_t c = 0; c < features; ++c) {
      rows.index.push_back(static_cast<uint32_t>(c));
      rows.value.push_back(row[c]);
    }
    rows.ends.push_back(rows.index.size());
    if (has_target) rows.target.push_back(row.back());
  }
  return rows;
}

Table ToTable(const SparseRows& rows, size_t features) {
  const bool has_target = !rows.target.empty();
  Table table{features + (has_target ? 1 : 0), {}};
  table.values.assign(rows.size() * table.columns, 0.0);
  for (size_t i = 0; i < rows.size(); ++i) {
    double* row = table.values.data() + i * table.columns;
    for (size_t e = rows.begin(i); e < rows.ends[i]; ++e) {
      if (rows.index[e] < features) row[rows.index[e]] = rows.value[e];
    }
    if (has_target) row[features] = rows.target[i];
  }
  return table;
}

double Standardize(const ClassifierOptions& options, const std::vector<std::string>& features,
                   size_t feature, double x) {
  const double z = (x - OriginOf(options, feature)) / ScaleOf(options, feature);
  if (!(std::abs(z) <= kLargest)) {
    const std::string name =
        feature < features.size() ? "\"" + features[feature] + "\"" : std::to_string(feature + 1);
    throw std::domain_error("feature " + name + " has a value that is not within 1e70 times its " +
                            "spread in the first minibatch");
  }
  return z;
}

double SignOf(double target) {
  if (target != 0 && target != 1) {
    throw std::domain_error("target is " + std::to_string(target) + ", must be 0 or 1");
  }
  return 2 * target - 1;
}

Estimate ProbabilityEstimate(Link link, double mean, double variance) {
  const ProbabilityMoments moments = MomentsOf(link, mean, variance);
  const Estimate score = NormalEstimate("", mean, std::sqrt(variance));
  return {"", moments.mean, moments.sd, LinkValue(link, score.lower), LinkValue(link, score.upper)};
}

}  // namespace sda
