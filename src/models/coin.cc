// Heads or tails, x in {0, 1} with P(x = 1) = p.
//   prior       p ~ Beta(h, t)
//   likelihood  p^x (1 - p)^(1 - x)
//   posterior   Beta(h + number of ones, t + number of zeros)
// Natural parameters of each column: (h, t), up to the constant -1 that cancels in differences.

#include <cmath>

#include "models/estimates.h"
#include "models/faults.h"

namespace sda {

Coin::Coin(std::vector<std::string> columns, PriorOptions prior)
    : columns_(std::move(columns)), prior_(prior) {
  CheckPositive("heads", prior.heads);
  CheckPositive("tails", prior.tails);
}

Dense Coin::Prior() const {
  Dense params(2 * columns_.size());
  for (size_t c = 0; c < columns_.size(); ++c) {
    params[2 * c] = prior_.heads;
    params[2 * c + 1] = prior_.tails;
  }
  return params;
}

void Coin::AddStatistics(const Table& data, Dense* params) const {
  for (size_t i = 0; i < data.size(); ++i) {
    const auto row = data.row(i);
    for (size_t c = 0; c < row.size(); ++c) (*params)[2 * c + (row[c] != 0 ? 0 : 1)] += 1;
  }
}

std::vector<Estimate> Coin::Describe(const Dense& posterior) const {
  std::vector<Estimate> estimates;
  for (size_t c = 0; c < columns_.size(); ++c) {
    estimates.push_back(
        BetaEstimate("probability[" + columns_[c] + "]", posterior[2 * c], posterior[2 * c + 1]));
  }
  return estimates;
}

std::optional<std::string> Coin::FaultIn(const Dense& posterior) const {
  for (size_t i = 0; i < posterior.size(); ++i) {
    if (kCounts.Holds(posterior[i])) continue;
    return FaultText(
        i,
        (i % 2 == 0 ? "the ones of column \"" : "the zeros of column \"") + columns_[i / 2] + "\"",
        posterior[i], kCounts);
  }
  return std::nullopt;
}

// P(x = 1) = h / (h + t).
std::vector<double> Coin::LogPredictive(const Dense& posterior, const Table& rows) const {
  std::vector<double> logs(rows.size(), 0.0);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t c = 0; c < columns_.size(); ++c) {
      const double sum = posterior[2 * c] + posterior[2 * c + 1];
      logs[i] += std::log(posterior[2 * c + (rows.row(i)[c] != 0 ? 0 : 1)] / sum);
    }
  }
  return logs;
}

}  // namespace sda
