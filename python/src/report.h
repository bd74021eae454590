#ifndef SDA_PYTHON_REPORT_H_
#define SDA_PYTHON_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bags.h"
#include "model.h"
#include "sda/model_report.h"

namespace sda::python {

// What is known of documents beside their words; each has an entry for every row, or none at all.
struct Labels {
  std::vector<std::string> ids;
  std::vector<int64_t> times;  // milliseconds since 1970, or kNoTime
  std::vector<std::string> texts;
};

struct Report {
  std::string json;
  std::string page;  // empty if the library was built without it
};

// What `sda report` makes of the model and these documents, if there are any. Ends at Ctrl-C.
Report ReportOf(const Model& model, const Bags* bags, const Labels& labels,
                const std::string& title, const ReportOptions& options);

}  // namespace sda::python

#endif  // SDA_PYTHON_REPORT_H_
