// Categories with unknown shares p_1, p_2, ..., not known beforehand.
//   prior       p ~ Dirichlet(c, ..., c) over the categories seen
//   likelihood  p_x
//   posterior   Dirichlet(c + number of rows in each category)
//   marginals   p_j ~ Beta(c + n_j, sum of the others)
// Natural parameters: a row of width 1 for each (column, category), c for one never seen.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "models/estimates.h"
#include "models/faults.h"

namespace sda {
namespace {

constexpr int kCategoryBits = 40;
constexpr uint64_t kCategoryMask = (uint64_t{1} << kCategoryBits) - 1;

uint64_t KeyOf(size_t column, double category) {
  return (uint64_t{column} << kCategoryBits) | static_cast<uint64_t>(category);
}

// Rows of each (column, category) in the data.
std::map<uint64_t, double> CountsByKey(const Table& data) {
  std::map<uint64_t, double> counts;
  for (size_t i = 0; i < data.size(); ++i) {
    const auto row = data.row(i);
    for (size_t c = 0; c < row.size(); ++c) counts[KeyOf(c, row[c])] += 1;
  }
  return counts;
}

}  // namespace

Categorical::Categorical(std::vector<std::string> columns, PriorOptions prior)
    : columns_(std::move(columns)), prior_(prior) {
  CheckPositive("concentration", prior.concentration);
}

KeyedRows Categorical::Prior() const { return KeyedRows({prior_.concentration}); }

void Categorical::AddStatistics(const Table& data, KeyedRows* params) const {
  for (const auto& [key, count] : CountsByKey(data)) params->Add(key, {&count, 1});
}

KeyedRows::Selection Categorical::Touches(const Table& data) const {
  KeyedRows::Selection selection{.everything = false, .keys = {}};
  for (const auto& [key, count] : CountsByKey(data)) selection.keys.push_back(key);
  return selection;
}

bool Categorical::HasCategory(size_t column, size_t category) const {
  return column < columns_.size() &&
         (column >= categories_.size() || category < categories_[column].names().size());
}

std::vector<Estimate> Categorical::Describe(const KeyedRows& posterior) const {
  std::map<uint64_t, double> parameters;  // by key: columns in order, categories as first seen
  std::vector<double> sums(columns_.size(), 0.0);
  for (size_t r = 0; r < posterior.rows(); ++r) {
    const uint64_t key = posterior.key(r);
    const size_t column = key >> kCategoryBits;
    const size_t category = key & kCategoryMask;
    if (!HasCategory(column, category)) {
      throw std::domain_error("there is no category " + std::to_string(category) + " of column " +
                              std::to_string(column));
    }
    parameters[key] = posterior.row(r)[0];
    sums[column] += posterior.row(r)[0];
  }
  std::vector<Estimate> estimates;
  for (const auto& [key, a] : parameters) {
    const size_t column = key >> kCategoryBits;
    const size_t category = key & kCategoryMask;
    const std::string label = column < categories_.size() ? categories_[column].names()[category]
                                                          : std::to_string(category);
    const std::string name = "share[" + columns_[column] + "=" + label + "]";
    const double others = sums[column] - a;
    // A single category has the whole share.
    estimates.push_back(others > 0 ? BetaEstimate(name, a, others) : Estimate{name, 1, 0, 1, 1});
  }
  if (estimates.empty()) throw std::domain_error("no categories were seen");
  return estimates;
}

std::optional<std::string> Categorical::FaultIn(const KeyedRows& posterior) const {
  for (size_t r = 0; r < posterior.rows(); ++r) {
    const size_t column = posterior.key(r) >> kCategoryBits;
    const size_t category = posterior.key(r) & kCategoryMask;
    if (!HasCategory(column, category)) {
      return fmt::format("there is no category {} of column {} (both from 0)", category, column);
    }
    if (!kCounts.Holds(posterior.row(r)[0])) {
      return FaultText(fmt::format("the count of category {} (from 0) of column \"{}\"", category,
                                   columns_[column]),
                       posterior.row(r)[0], kCounts);
    }
  }
  if (!kCounts.Holds(posterior.default_row()[0])) {
    return FaultText("the count of a category never seen", posterior.default_row()[0], kCounts);
  }
  return FaultInTotals(posterior);
}

// The share of each category: its expectation.
std::vector<double> Categorical::LogPredictive(const KeyedRows& posterior,
                                               const Table& rows) const {
  std::map<uint64_t, double> parameters;
  std::vector<double> sums(columns_.size(), 0.0);
  for (size_t r = 0; r < posterior.rows(); ++r) {
    parameters[posterior.key(r)] = posterior.row(r)[0];
    sums.at(posterior.key(r) >> kCategoryBits) += posterior.row(r)[0];
  }
  std::vector<double> logs(rows.size(), 0.0);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t c = 0; c < columns_.size(); ++c) {
      const auto found = parameters.find(KeyOf(c, rows.row(i)[c]));
      logs[i] += std::log(found == parameters.end() ? 0 : found->second / sums[c]);
    }
  }
  return logs;
}

}  // namespace sda
