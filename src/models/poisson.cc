// Counts x = 0, 1, 2, ... with rate r per unit.
//   prior       r ~ Gamma(shape a, rate b)
//   likelihood  r^x e^-r / x!
//   posterior   Gamma(a + sum of x, b + number of rows)
// Natural parameters of each column: (a, -b); kept as (a, b), the sign cancels in differences.

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <stdexcept>

#include "models/estimates.h"
#include "models/faults.h"

namespace sda {

Poisson::Poisson(std::vector<std::string> columns, PriorOptions prior)
    : columns_(std::move(columns)), prior_(prior) {
  CheckPositive("shape", prior.shape);
  CheckNotNegative("rate", prior.rate);
}

Dense Poisson::Prior() const {
  Dense params(2 * columns_.size());
  for (size_t c = 0; c < columns_.size(); ++c) {
    params[2 * c] = prior_.shape;
    params[2 * c + 1] = prior_.rate;
  }
  return params;
}

void Poisson::AddStatistics(const Table& data, Dense* params) const {
  for (size_t i = 0; i < data.size(); ++i) {
    const auto row = data.row(i);
    for (size_t c = 0; c < row.size(); ++c) {
      (*params)[2 * c] += row[c];
      (*params)[2 * c + 1] += 1;
    }
  }
}

std::vector<Estimate> Poisson::Describe(const Dense& posterior) const {
  std::vector<Estimate> estimates;
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (!(posterior[2 * c + 1] > 0)) {
      throw std::domain_error("the rate of column \"" + columns_[c] +
                              "\" is unknown: it needs a row of data, or a prior rate above 0");
    }
    estimates.push_back(
        GammaEstimate("rate[" + columns_[c] + "]", posterior[2 * c], posterior[2 * c + 1]));
  }
  return estimates;
}

std::optional<std::string> Poisson::FaultIn(const Dense& posterior) const {
  for (size_t i = 0; i < posterior.size(); ++i) {
    const NumberRange& range = i % 2 == 0 ? kCounts : kCountsOrZero;
    if (range.Holds(posterior[i])) continue;
    return FaultText(i,
                     (i % 2 == 0 ? "the events of column \"" : "the units of column \"") +
                         columns_[i / 2] + "\"",
                     posterior[i], range);
  }
  return std::nullopt;
}

// Negative binomial: Gamma(a + x) / (Gamma(a) x!) (b / (b + 1))^a (1 / (b + 1))^x.
std::vector<double> Poisson::LogPredictive(const Dense& posterior, const Table& rows) const {
  Describe(posterior);  // throws if a rate is unknown
  std::vector<double> logs(rows.size(), 0.0);
  for (size_t c = 0; c < columns_.size(); ++c) {
    const double a = posterior[2 * c];
    const double b = posterior[2 * c + 1];
    const double log_gamma = boost::math::lgamma(a);
    for (size_t i = 0; i < rows.size(); ++i) {
      const double x = rows.row(i)[c];
      logs[i] += boost::math::lgamma(a + x) - log_gamma - boost::math::lgamma(x + 1) -
                 a * std::log1p(1 / b) - x * std::log1p(b);
    }
  }
  return logs;
}

}  // namespace sda
