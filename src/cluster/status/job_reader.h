#ifndef SDA_CLUSTER_STATUS_JOB_READER_H_
#define SDA_CLUSTER_STATUS_JOB_READER_H_

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "cluster/job.h"
#include "cluster/kafka/kafka.h"
#include "cluster/log/broker_answers.h"
#include "cluster/log/delta_notes.h"
#include "cluster/log/set_aside.h"
#include "cluster/status/job_status.h"
#include "cluster/status/lag_counter.h"
#include "sda/errors.h"

namespace sda::cluster {

// The job was deleted since it was opened.
class JobIsGone : public IoError {
 public:
  using IoError::IoError;
};

// Reads the status of a job, without becoming part of it. For one thread.
class JobReader {
 public:
  // A stop ends reading early: then the status is incomplete.
  JobReader(const Job& job, std::stop_token stop);

  // The current status of the job. The log is read only from where the last call left it. Throws
  // KafkaError when brokers do not answer (it may be called again), JobIsGone, or InputError as
  // LogView does.
  JobStatus Read();

 private:
  // A snapshot without its posterior.
  struct FoundSnapshot {
    SnapshotNote note;
    LogTotals totals;
    uint64_t words = 0;
    uint64_t bytes = 0;
    int64_t milliseconds = 0;
  };
  void ExpectJob();
  std::vector<JobStatus::Worker> Workers(const DeltaNotes::Rate& rate) const;
  void FindSnapshot();
  void FindOtherSettings();
  void BeginNotes();
  Client::Range ReadNotes();
  void AddNote(const Message& message);

  const Job job_;
  const std::stop_token stop_;
  Consumer log_;  // of deltas
  LagCounter lag_;
  BrokerAnswers answers_;

  DeltaNotes notes_;
  bool begun_ = false;
  int64_t position_ = 0;  // of the log, up to where it was read
  std::optional<FoundSnapshot> snapshot_;
  SetAsides bad_snapshots_;
  int64_t snapshots_end_ = -1;  // of their topic, when the newest was looked for
  SetAsides other_settings_;
  int64_t settings_end_ = -1;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_STATUS_JOB_READER_H_
