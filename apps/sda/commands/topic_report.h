#ifndef SDA_APPS_COMMANDS_TOPIC_REPORT_H_
#define SDA_APPS_COMMANDS_TOPIC_REPORT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "commands/fit.h"
#include "sda/background_saver.h"
#include "sda/corpus.h"
#include "sda/lda.h"
#include "sda/lda_ep.h"
#include "sda/observer.h"

namespace sda {

struct TopicScore {
  uint64_t documents;
  double seconds;
  double log_predictive;
};

// What a run of `sda fit` on documents did, from its first document on.
struct TopicReport {
  Summary summary;
  CorpusCounts counts;
  uint64_t tokens = 0;  // folded
  uint64_t vocabulary = 0;
  LdaOptions options;
  LdaStats stats;
  std::optional<LdaEpStats> ep;
  std::vector<TopicScore> curve;
  std::vector<double> bounds;  // of --algorithm batch
  uint64_t test_tokens = 0;
  int64_t small_topics = 0;
  BackgroundSaver::Cost saves;
};

// For --report and --json.
nlohmann::ordered_json ToJson(const TopicReport& run, const FitFlags& flags);
// For people, on standard output.
void Show(const TopicReport& run);

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_TOPIC_REPORT_H_
