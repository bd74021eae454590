#ifndef SDA_REPORT_REPORT_PERIODS_H_
#define SDA_REPORT_REPORT_PERIODS_H_

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/calendar.h"
#include "sda/model_report.h"

namespace sda::report {

// The first units of the calendar, from hours to decades.
using Unit = TimeUnit;
inline constexpr int kUnits = 7;

// Topic proportions of documents, added up by time: in all units at once, each until it has far too
// many periods, so that documents may come in any order and are not kept.
//
// Some dates are wrong, and a few documents are far from all others. The unit is the shortest in
// which all but the first and last 0.5% of the documents are in at most so many periods; if all of
// them are in more, these few are left out.
class Periods {
 public:
  Periods(size_t topics, int most) : topics_(topics), most_(most), units_(kUnits) {}

  // gamma: the Dirichlet parameters of a document's proportions.
  void Add(int64_t time, std::span<const double> gamma);

  struct Found {
    Unit unit = Unit::kDecade;
    std::vector<ReportedPeriod> periods;  // those with documents, in their order
    uint64_t outside = 0;                 // documents that are left out
  };
  Found Finish() const;

 private:
  // Sums over documents, by topic.
  struct Sums {
    uint64_t documents = 0;
    std::vector<double> means;      // of the proportion's mean
    std::vector<double> squares;    // of its square
    std::vector<double> variances;  // of the proportion's variance
    void Add(std::span<const double> gamma);
  };
  using PeriodSums = std::map<int64_t, Sums>;  // by number of the unit
  ReportedShare Share(const Sums& sums, size_t topic) const;
  // The numbers of the first and last period, all of them or without the few.
  std::pair<int64_t, int64_t> Range(const PeriodSums& sums, bool all) const;
  bool Fits(std::pair<int64_t, int64_t> range) const { return range.second - range.first < most_; }

  size_t topics_;
  int most_;
  std::vector<PeriodSums> units_;  // by unit
  int shortest_ = 0;               // of those that are still added up
  Sums all_;
};

}  // namespace sda::report

#endif  // SDA_REPORT_REPORT_PERIODS_H_
