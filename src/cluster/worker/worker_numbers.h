#ifndef SDA_CLUSTER_WORKER_WORKER_NUMBERS_H_
#define SDA_CLUSTER_WORKER_WORKER_NUMBERS_H_

#include <cstdint>
#include <string>

namespace sda::cluster {

// What one worker has done since it started, and what it sees.
struct WorkerNumbers {
  std::string job;
  std::string worker;
  uint64_t documents = 0;  // folded
  uint64_t minibatches = 0;
  uint64_t lost = 0;  // minibatches reassigned to another worker before they were committed
  double computing_seconds = 0;
  uint64_t staleness_last = 0;
  uint64_t staleness_max = 0;
  uint64_t staleness_sum = 0;
  uint64_t partitions = 0;
  uint64_t rejoined = 0;
  uint64_t expired = 0;
  bool keeper = false;
  uint64_t snapshots = 0;
  int64_t view_position = 0;
  uint64_t view_deltas = 0;
  uint64_t view_documents = 0;
  uint64_t view_loads = 0;
  uint64_t set_aside = 0;     // messages of the log and the snapshots
  double view_score_sum = 0;  // log predictive probability of recent documents of the job
  double view_score_tokens = 0;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_WORKER_NUMBERS_H_
