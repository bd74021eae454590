#ifndef SDA_CLUSTER_LOG_SNAPSHOT_READER_H_
#define SDA_CLUSTER_LOG_SNAPSHOT_READER_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "cluster/job.h"
#include "cluster/log/snapshot_check.h"

namespace sda::cluster {

struct SnapshotsRead {
  std::optional<CheckedSnapshots::Snapshot> newest;  // none: the log is read from its beginning
  SetAsides set_aside;
};

// Reads all snapshots of a job. Throws KafkaError if no broker answers for that long, or a stop is
// requested; InputError if the beginning of the log was deleted, and no snapshot of it is good.
SnapshotsRead ReadSnapshots(const Job& job, const LogRules& rules, const LogQuestions& questions,
                            std::chrono::milliseconds patience, const std::stop_token& stop);

// The same for a job whose rules are not at hand, with patience.
SnapshotsRead ReadSnapshots(const Job& job, const std::stop_token& stop);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_SNAPSHOT_READER_H_
