// Counts x = 0, 1, 2, ... with rate r per unit.
//   prior       r ~ Gamma(shape a, rate b)
//   likelihood  r^x e^-r / x!
//   posterior   Gamma(a + sum of x, b + number of rows)
// Natural parameters of each column: (a, -b); kept as (a, b), the sign cancels in differences.

#include <stdexcept>

#include "models/estimates.h"

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

}  // namespace sda
