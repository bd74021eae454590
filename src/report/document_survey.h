#ifndef SDA_REPORT_DOCUMENT_SURVEY_H_
#define SDA_REPORT_DOCUMENT_SURVEY_H_

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/report_periods.h"
#include "report/report_words.h"

namespace sda::report {

// The beginning of a text: at most this number of characters, each run of white space as a blank.
std::string Snippet(std::string_view text, size_t characters);

// What documents say about the topics, one minibatch after the other: memory does not depend on how
// many there are.
class DocumentSurvey {
 public:
  // All must outlive this.
  DocumentSurvey(const TopicModel& model, const TopicWords& topics, const ReportOptions& options,
                 const Context& context);

  void Add(const Minibatch<Documents>& minibatch);

  // Adds what was found.
  void Finish(ModelReport* report) const;

 private:
  struct LargestFirst {
    bool operator()(const ReportedDocument& a, const ReportedDocument& b) const {
      return a.share.mean != b.share.mean ? a.share.mean > b.share.mean : a.number < b.number;
    }
  };
  struct WorstFirst {
    bool operator()(const ReportedDocument& a, const ReportedDocument& b) const {
      return a.gain != b.gain ? a.gain < b.gain : a.number < b.number;
    }
  };

  double Gain(const Documents& documents, size_t d, std::span<const double> gamma) const;
  ReportedDocument Described(const Documents& documents, size_t d, size_t topic, double gain,
                             std::span<const double> gamma) const;
  void Rank(const Documents& documents, size_t d, double gain, std::span<const double> gamma);

  const TopicModel& model_;
  const TopicWords& topics_;
  const ReportOptions& options_;
  const Context& context_;
  ReportedDocuments found_;
  Periods periods_;
  std::vector<std::set<ReportedDocument, LargestFirst>> best_;  // by topic
  std::set<ReportedDocument, WorstFirst> worst_;
  std::vector<float> gains_;
};

}  // namespace sda::report

#endif  // SDA_REPORT_DOCUMENT_SURVEY_H_
