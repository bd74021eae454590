#ifndef SDA_CLUSTER_JOB_READER_H_
#define SDA_CLUSTER_JOB_READER_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "cluster/delta_notes.h"
#include "cluster/job.h"
#include "cluster/job_status.h"
#include "cluster/kafka.h"

namespace sda::cluster {

// The job was deleted since it was opened.
class JobIsGone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Finds out how a job stands, without becoming part of it. For one thread.
class JobReader {
 public:
  // `stop` ends reading early when it becomes true: then the status is not complete.
  JobReader(const Job& job, const std::atomic<bool>* stop);

  // How the job stands now. The log is read only from where the last call left it. Throws
  // KafkaError when brokers do not answer (it may be called again), JobIsGone, or
  // std::runtime_error when the log is damaged.
  JobStatus Read();

 private:
  struct FoundSnapshot {
    SnapshotNote note;
    LogTotals totals;
    uint64_t bytes = 0;
    int64_t milliseconds = 0;
  };
  // Where a partition was when its documents were counted.
  struct Counted {
    int64_t next;
    int64_t end;
    uint64_t lag;
    bool exact;
    bool counted;  // not only estimated
  };

  void ExpectJob();
  std::vector<JobStatus::Worker> Workers(const DeltaNotes::Rate& rate) const;
  void FindSnapshot();
  std::optional<FoundSnapshot> LastSnapshotFrom(int64_t offset, int64_t end);
  void BeginNotes();
  Client::Range ReadNotes();
  std::vector<JobStatus::Partition> Partitions() const;
  void FillLag(std::vector<JobStatus::Partition>* partitions);
  void CountDocuments(const std::map<int32_t, int64_t>& from,
                      std::vector<JobStatus::Partition>* partitions);

  const Job job_;
  const std::atomic<bool>* stop_;
  Consumer log_;        // of deltas
  Consumer snapshots_;  // their topic
  Consumer documents_;  // their topic, and what the group of the workers has read of it

  DeltaNotes notes_;
  bool begun_ = false;
  int64_t position_ = 0;  // of the log, up to where it was read
  std::optional<FoundSnapshot> snapshot_;
  int64_t snapshots_end_ = -1;         // of their topic, when the newest was looked for
  std::map<int32_t, Counted> counts_;  // by partition
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_JOB_READER_H_
