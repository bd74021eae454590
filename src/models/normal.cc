// Measurements x with unknown mean m and precision t.
//   prior       t ~ Gamma(a, b),  m | t ~ Normal(m0, precision k t)
//   likelihood  Normal(x | m, precision t)
//   posterior   with n rows, their mean x' and sum of squared deviations S:
//               k' = k + n,  m0' = (k m0 + n x') / k',  a' = a + n / 2,
//               b' = b + S / 2 + k n (x' - m0)^2 / (2 k')
//   marginals   m ~ m0' + sqrt(b' / (a' k')) Student(2 a'),  t ~ Gamma(a', b')
// The joint density is t^((v - 2) / 2) exp(-t (k m^2 - 2 k m0 m + s) / 2), so the natural
// parameters of each column are (k, k m0, s = 2 b + k m0^2, v), to which a row adds (1, x, x^2, 1),
// and a = (v - 1) / 2. A flat prior of the mean (k = 0) has v = 2 a; a proper one v = 2 a + 1.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "models/estimates.h"
#include "models/faults.h"
#include "sda/errors.h"

namespace sda {
namespace {

constexpr size_t kNumbers = 4;  // per column: k, k m0, s, v

}  // namespace

Normal::Normal(std::vector<std::string> columns, PriorOptions prior, std::vector<double> origin)
    : columns_(std::move(columns)), prior_(prior), origin_(std::move(origin)) {
  if (!(std::abs(prior.mean) <= kLargestNumber)) {
    throw UsageError(fmt::format("prior mean is {:g}, must be a number from {:g} to {:g}",
                                 prior.mean, -kLargestNumber, kLargestNumber));
  }
  CheckNotNegative("weight", prior.weight);
  CheckNotNegative("shape", prior.shape);
  CheckNotNegative("rate", prior.rate);
  CheckOrigins(origin_);
  if (origin_.empty()) origin_.assign(columns_.size(), 0.0);
  if (origin_.size() != columns_.size()) {
    throw std::logic_error("an origin is needed for each column, or none");
  }
}

Dense Normal::Prior() const {
  Dense params(kNumbers * columns_.size());
  for (size_t c = 0; c < columns_.size(); ++c) {
    const double mean = prior_.mean - origin_[c];
    double* p = params.data() + kNumbers * c;
    p[0] = prior_.weight;
    p[1] = prior_.weight * mean;
    p[2] = 2 * prior_.rate + prior_.weight * mean * mean;
    p[3] = 2 * prior_.shape + (prior_.weight > 0 ? 1 : 0);
  }
  return params;
}

void Normal::AddStatistics(const Table& data, Dense* params) const {
  for (size_t i = 0; i < data.size(); ++i) {
    const auto row = data.row(i);
    for (size_t c = 0; c < row.size(); ++c) {
      const double x = row[c] - origin_[c];
      double* p = params->data() + kNumbers * c;
      p[0] += 1;
      p[1] += x;
      p[2] += x * x;
      p[3] += 1;
    }
  }
}

std::vector<Estimate> Normal::Describe(const Dense& posterior) const {
  std::vector<Estimate> estimates;
  for (size_t c = 0; c < columns_.size(); ++c) {
    const double* p = posterior.data() + kNumbers * c;
    const double shape = (p[3] - 1) / 2;
    if (!(p[0] > 0 && shape > 0)) {
      throw std::domain_error("the mean and precision of column \"" + columns_[c] +
                              "\" are unknown: they need 2 rows of data, or a prior weight and "
                              "shape above 0");
    }
    const double mean = p[1] / p[0];
    const double residual = p[2] - p[1] * mean;
    // Squares about an origin that the data has left (as it can where the run forgets) no longer
    // hold the spread. Rows that are all equal stay within rounding of the origin.
    if (residual < 1e-13 * p[2] && std::abs(mean) > 1e-12 * std::abs(origin_[c])) {
      throw std::domain_error("the spread of column \"" + columns_[c] +
                              "\" cannot be distinguished from rounding: its values are too far "
                              "from the first ones; fit the later rows separately");
    }
    const double rate = std::max(0.0, residual / 2);  // 0 if all rows are equal
    const std::string column = "[" + columns_[c] + "]";
    estimates.push_back(StudentEstimate("mean" + column, origin_[c] + mean,
                                        std::sqrt(rate / (shape * p[0])), 2 * shape));
    estimates.push_back(GammaEstimate("precision" + column, shape, rate));
    estimates.push_back(InverseRootGammaEstimate("sd" + column, shape, rate));
  }
  return estimates;
}

std::optional<std::string> Normal::FaultIn(const Dense& posterior) const {
  constexpr std::array kRanges = {kCountsOrZero, kSums, kSquares, kCountsOrZero};
  constexpr std::array kMeanings = {"the weight", "the sum", "the sum of squares",
                                    "the degrees of freedom"};
  for (size_t c = 0; c < columns_.size(); ++c) {
    const double* p = posterior.data() + kNumbers * c;
    const std::string column = " of column \"" + columns_[c] + "\"";
    for (size_t i = 0; i < kNumbers; ++i) {
      if (!kRanges[i].Holds(p[i])) {
        return FaultText(kNumbers * c + i, kMeanings[i] + column, p[i], kRanges[i]);
      }
    }
    if (!GoTogether(p[1], p[0], p[2])) {
      return fmt::format(
          "the weight, the sum and the sum of squares{} are {:g}, {:g} and {:g}, "
          "which no numbers have",
          column, p[0], p[1], p[2]);
    }
  }
  return std::nullopt;
}

// m0' + sqrt(b' (k' + 1) / (a' k')) Student(2 a').
std::vector<double> Normal::LogPredictive(const Dense& posterior, const Table& rows) const {
  Describe(posterior);  // throws if a mean or precision is unknown
  std::vector<double> logs(rows.size(), 0.0);
  for (size_t c = 0; c < columns_.size(); ++c) {
    const double* p = posterior.data() + kNumbers * c;
    const double shape = (p[3] - 1) / 2;
    const double mean = p[1] / p[0];
    const double rate = std::max(0.0, (p[2] - p[1] * mean) / 2);
    const double scale = std::sqrt(rate / shape * (1 + 1 / p[0]));
    for (size_t i = 0; i < rows.size(); ++i) {
      logs[i] += LogStudentDensity(rows.row(i)[c] - origin_[c], mean, scale, 2 * shape);
    }
  }
  return logs;
}

}  // namespace sda
