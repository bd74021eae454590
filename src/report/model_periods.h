#ifndef SDA_REPORT_MODEL_PERIODS_H_
#define SDA_REPORT_MODEL_PERIODS_H_

#include "sda/model_report.h"
#include "sda/over_time.h"

namespace sda::report {

// The sums over time of a model as periods of a report: those of the model, or longer ones if they
// are more than `most`.
ReportedOverTime PeriodsOf(const OverTime& sums, size_t most);

}  // namespace sda::report

#endif  // SDA_REPORT_MODEL_PERIODS_H_
