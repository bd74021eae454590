#ifndef SDA_CLUSTER_STATUS_LAG_COUNTER_H_
#define SDA_CLUSTER_STATUS_LAG_COUNTER_H_

#include <cstdint>
#include <map>
#include <stop_token>
#include <vector>

#include "cluster/job.h"
#include "cluster/kafka/kafka.h"
#include "cluster/status/job_status.h"

namespace sda::cluster {

// How many documents of a job's topic are not yet folded.
//
// Between what was read and the end there are documents, but also marks of transactions, and
// documents of aborted transactions. Where little is left, or nothing moves, the documents are
// counted by reading them; else the offsets are, which is cheap and slightly too many. What was
// counted once is remembered.
class LagCounter {
 public:
  // A stop ends counting early.
  LagCounter(const Job& job, std::stop_token stop);

  // Where the partitions are: all but the lag. next is -1 where Kafka does not know it.
  std::vector<JobStatus::Partition> Look() const;

  // Fills in the rest. `folded` is used where Kafka does not know the next offset: it forgets a
  // group some days after its last member has left, the log does not.
  void Count(const std::map<int32_t, int64_t>& folded,
             std::vector<JobStatus::Partition>* partitions);

 private:
  struct Counted {
    JobStatus::Partition partition;
    bool by_reading;
  };
  bool Read(const std::map<int32_t, int64_t>& from, std::vector<JobStatus::Partition>* partitions);

  const Job job_;
  const std::stop_token stop_;
  Consumer consumer_;
  std::map<int32_t, Counted> last_;  // by partition
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_STATUS_LAG_COUNTER_H_
