#include "report/report_periods.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "report/report_words.h"

namespace sda::report {
namespace {

// The first and the last documents that may be left out, each a part of all.
constexpr double kFew = 0.005;
// A unit is given up when it has this number of times as many periods as may be shown.
constexpr int kSpare = 8;

}  // namespace

void Periods::Sums::Add(std::span<const double> gamma) {
  means.resize(gamma.size());
  squares.resize(gamma.size());
  variances.resize(gamma.size());
  ++documents;
  const double sum = std::accumulate(gamma.begin(), gamma.end(), 0.0);
  for (size_t k = 0; k < gamma.size(); ++k) {
    const double mean = gamma[k] / sum;
    means[k] += mean;
    squares[k] += mean * mean;
    variances[k] += mean * (1 - mean) / (sum + 1);
  }
}

void Periods::Add(int64_t time, std::span<const double> gamma) {
  all_.Add(gamma);
  for (int i = shortest_; i < kUnits; ++i) {
    units_[i][UnitOf(static_cast<Unit>(i), time)].Add(gamma);
  }
  const size_t bound = size_t{kSpare} * static_cast<size_t>(most_);
  while (shortest_ + 1 < kUnits && units_[shortest_].size() > bound) units_[shortest_++].clear();
}

std::pair<int64_t, int64_t> Periods::Range(const PeriodSums& sums, bool all) const {
  auto first = sums.begin();
  auto last = std::prev(sums.end());
  if (all) return {first->first, last->first};
  const auto few = static_cast<uint64_t>(kFew * static_cast<double>(all_.documents));
  for (uint64_t before = first->second.documents; before <= few && first != last; ++first) {
    before += std::next(first)->second.documents;
  }
  for (uint64_t after = last->second.documents; after <= few && first != last; --last) {
    after += std::prev(last)->second.documents;
  }
  return {first->first, last->first};
}

ReportedShare Periods::Share(const Sums& sums, size_t topic) const {
  const double n = static_cast<double>(sums.documents);
  const double all = static_cast<double>(all_.documents);
  const double mean = sums.means[topic] / n;
  // Between documents: theirs, and one document that differs as those of all periods do, so that a
  // period of one document has a variance, too.
  const double all_mean = all_.means[topic] / all;
  const double all_variance = all_.squares[topic] / all - all_mean * all_mean;
  const double between =
      (std::max(sums.squares[topic] - n * mean * mean, 0.0) + std::max(all_variance, 0.0)) / n;
  const double variance = (between + sums.variances[topic] / n) / n;
  // A Beta distribution with this mean and variance.
  const double size = mean * (1 - mean) / std::max(variance, 1e-12) - 1;
  if (!(size > 0)) return {mean, 0, 1};
  return BetaShare(mean * size, (1 - mean) * size);
}

Periods::Found Periods::Finish() const {
  Found found;
  if (all_.documents == 0) return found;
  int unit = shortest_;
  while (unit + 1 < kUnits && !Fits(Range(units_[unit], false))) ++unit;
  found.unit = static_cast<Unit>(unit);
  const PeriodSums& chosen = units_[unit];
  const auto range = Range(chosen, Fits(Range(chosen, true)));
  for (const auto& [number, sums] : chosen) {
    if (number < range.first || number > range.second) {
      found.outside += sums.documents;
      continue;
    }
    ReportedPeriod period;
    period.begin = BeginOf(found.unit, number);
    period.end = BeginOf(found.unit, number + 1);
    period.documents = sums.documents;
    for (size_t k = 0; k < topics_; ++k) period.shares.push_back(Share(sums, k));
    found.periods.push_back(std::move(period));
  }
  return found;
}

}  // namespace sda::report
