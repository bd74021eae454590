#ifndef SDA_TESTS_CLUSTER_HOSTILE_RECORDED_LOG_H_
#define SDA_TESTS_CLUSTER_HOSTILE_RECORDED_LOG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/job.h"
#include "cluster/job_settings.h"
#include "cluster/log/checked_log.h"
#include "cluster/log/log_rules.h"

namespace sda::cluster {

// A message of a topic of one partition.
struct Recorded {
  std::string header;
  std::string value;
  std::string id;    // of the delta that it belongs to
  bool real = true;  // false: it was made or changed by an attacker
};

// What the workers and the keeper of a small job have written, made with what they use.
struct RecordedLog {
  Job job;
  JobSettings settings;
  LogRules rules;
  std::vector<int64_t> ends;  // of the partitions of documents
  std::vector<Recorded> deltas;
  std::vector<Recorded> snapshots;
  std::vector<std::string> others;  // settings, notes of feeds, dead letters

  LogQuestions questions() const;
};

// 12 deltas of one chunk each, the first with the vocabulary; or with `chunked` 4 deltas, two of
// which have several chunks.
RecordedLog RecordLog(bool chunked);

}  // namespace sda::cluster

#endif  // SDA_TESTS_CLUSTER_HOSTILE_RECORDED_LOG_H_
