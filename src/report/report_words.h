#ifndef SDA_REPORT_REPORT_WORDS_H_
#define SDA_REPORT_REPORT_WORDS_H_

#include <vector>

#include "sda/context.h"
#include "sda/model_report.h"

namespace sda::report {

// The topics as distributions over words, for all parts of a report.
struct TopicWords {
  const KeyedRows& posterior;
  std::vector<double> sums;         // of each topic's parameters
  std::vector<double> shares;       // of the corpus, by topic
  std::vector<double> frequencies;  // of the corpus, by word id; they sum to 1

  explicit TopicWords(const TopicModel& model);

  size_t topics() const { return sums.size(); }
  size_t words() const { return frequencies.size(); }
  ReportedShare Probability(uint64_t word, size_t topic) const;
};

// Beta(a, b); b may be 0.
ReportedShare BetaShare(double a, double b);

// 0, 0.05, ..., 1.
std::vector<double> Relevances();

// The words of each topic: see ReportedTopic.
std::vector<std::vector<ReportedWord>> RelevantWords(const TopicWords& topics, size_t most,
                                                     const Context& context);

// See ReportedEntry.
std::vector<ReportedEntry> FindEntries(const TopicWords& topics, const ReportOptions& options,
                                       const Context& context);

}  // namespace sda::report

#endif  // SDA_REPORT_REPORT_WORDS_H_
