#include "report/model_periods.h"

#include <map>
#include <string_view>
#include <utility>

#include "base/calendar.h"

namespace sda::report {
namespace {

using Buckets = std::map<int64_t, OverTime::Sums>;  // by number of the unit

TimeUnit UnitNamed(std::string_view name) {
  int unit = 0;
  while (unit + 1 < kTimeUnits && name != UnitName(static_cast<TimeUnit>(unit))) ++unit;
  return static_cast<TimeUnit>(unit);
}

Buckets BucketsOf(const OverTime& sums, TimeUnit unit) {
  Buckets buckets;
  for (const OverTime::Period& period : sums.Buckets()) {
    OverTime::Sums without_words = *period.sums;
    without_words.words.clear();
    buckets[UnitOf(unit, period.begin)].Add(without_words);
  }
  return buckets;
}

}  // namespace

ReportedOverTime PeriodsOf(const OverTime& sums, size_t most) {
  TimeUnit unit = UnitNamed(sums.unit());
  Buckets buckets = BucketsOf(sums, unit);
  while (buckets.size() > most && unit != TimeUnit::kEver) {
    unit = Longer(unit);
    buckets = BucketsOf(sums, unit);
  }
  ReportedOverTime out;
  out.unit = UnitName(unit);
  out.late = sums.late_documents();
  out.undated = sums.undated_documents();
  for (const auto& [number, of_bucket] : buckets) {
    ReportedPeriod period;
    period.begin = BeginOf(unit, number);
    period.end = BeginOf(unit, number + 1);
    period.documents = of_bucket.documents;
    for (size_t k = 0; k < sums.topics(); ++k) {
      const OverTime::Sums::Share share = of_bucket.ShareOf(k);
      period.shares.push_back({share.mean, share.lower, share.upper});
    }
    out.periods.push_back(std::move(period));
  }
  return out;
}

}  // namespace sda::report
