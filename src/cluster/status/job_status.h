#ifndef SDA_CLUSTER_STATUS_JOB_STATUS_H_
#define SDA_CLUSTER_STATUS_JOB_STATUS_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/log/log_totals.h"

namespace sda::cluster {

// The status of a job.
struct JobStatus {
  std::string job;
  std::string documents;  // topic
  std::string deltas;     // topic
  std::string rejected;   // topic

  struct Worker {
    std::string name;
    std::string host;
    std::vector<int32_t> partitions;  // that it holds, in order
    bool keeper = false;
    double documents_per_second = 0;  // as below
  };
  std::vector<Worker> workers;  // by name

  struct Partition {
    int64_t begin = 0;  // the first offset that the topic still has
    int64_t end = 0;    // after what is committed
    int64_t next = 0;   // after what was folded
    uint64_t lag = 0;   // documents from there on
    bool exact = true;  // false: lag counts offsets, and a few of them are not documents
  };
  std::vector<Partition> partitions;

  LogTotals totals;
  // Messages of the log, the snapshots and the settings that are not what workers write.
  SetAsides set_aside;
  uint64_t not_in_log = 0;  // those of snapshots and settings; fewer when their topics are trimmed

  // Over the last minute, by the brokers' clock; 0 when nothing came, or all is caught up.
  double documents_per_second = 0;
  double messages_per_second = 0;       // with those that were skipped or bad
  std::optional<double> seconds_since;  // the last delta, if there is one

  struct Snapshot {
    uint64_t bytes = 0;
    uint64_t deltas = 0;  // in it
    uint64_t delta_bytes = 0;
    double seconds_since = 0;
  };
  std::optional<Snapshot> snapshot;  // the newest
  int64_t log_begin = 0;             // offsets that the log has
  int64_t log_end = 0;

  uint64_t lag() const {
    uint64_t sum = 0;
    for (const Partition& partition : partitions) sum += partition.lag;
    return sum;
  }
  bool lag_is_exact() const {
    bool exact = true;
    for (const Partition& partition : partitions) exact &= partition.exact;
    return exact;
  }
  // Messages of the topic that were read, of any kind.
  uint64_t read() const { return totals.documents + totals.skipped + totals.bad; }
  bool idle() const { return messages_per_second == 0; }
  // Until everything is folded at this rate; nothing if that is unknown.
  std::optional<double> seconds_left() const {
    if (idle()) return std::nullopt;
    return static_cast<double>(lag()) / messages_per_second;
  }
  // The log after the newest snapshot: what a worker that joins has to read.
  uint64_t deltas_since_snapshot() const {
    return totals.deltas - (snapshot ? std::min(totals.deltas, snapshot->deltas) : 0);
  }
  uint64_t bytes_since_snapshot() const {
    return totals.bytes - (snapshot ? std::min(totals.bytes, snapshot->delta_bytes) : 0);
  }
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_STATUS_JOB_STATUS_H_
