#ifndef SDA_CLUSTER_LOG_LOG_VIEW_H_
#define SDA_CLUSTER_LOG_LOG_VIEW_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/job.h"
#include "cluster/log/broker_answers.h"
#include "cluster/log/checked_log.h"
#include "cluster/log/log_totals.h"
#include "cluster/log/note.h"
#include "cluster/log/set_aside.h"
#include "sda/context.h"
#include "sda/keyed_rows.h"

namespace sda::cluster {

// The posterior of a job: its deltas, added up in the order of the log, from the newest snapshot
// on. Two views at the same place of the log are equal to the last bit, in any process.
//
// One thread reads the log, by Poll(); the rest may be called from any thread.
class LogView {
 public:
  // Reads the newest good snapshot. Gives up waiting for a broker, with an exception, when the
  // context is stopped. Work on many rows is shared by its threads. The prior is that of the job's
  // settings. Messages that are set aside are logged, and reported.
  LogView(const Job& job, KeyedRows prior, Context context = Context(), OnSetAside report = {});

  // Folds the next message of the log, if there is one by then and it is what a worker writes (see
  // CheckedLog). Throws KafkaError, or InputError if a newer version of the program works on the
  // job, or the log was deleted and no good snapshot is left. After that nothing may be added to
  // the log: see ExpectReadable().
  void Poll(std::chrono::milliseconds timeout);
  // Folds all that is committed now. For a view that was just made, and that no other thread polls.
  void CatchUp();
  // Throws the last exception of Poll(), if any: a program that cannot read the log must not write
  // to it.
  void ExpectReadable() const;

  // Overwrites *out with the selected part of the posterior; returns how many deltas are in it.
  uint64_t Read(const KeyedRows::Selection& selection, KeyedRows* out) const;
  LogTotals totals() const;
  uint64_t deltas() const { return totals().deltas; }
  // The words, if the log holds them: those of a job that chose them from its first documents.
  std::vector<std::string> vocabulary() const;
  uint64_t words() const;  // how many these are
  // Messages that were set aside: of the log, and of the snapshots when they were read last.
  uint64_t set_aside() const;
  // The offset up to which the log was read.
  int64_t position() const;
  // Whether the delta with the id that Watch() was called with last was folded by then, or set
  // aside; or the view began again, from a snapshot that may hold it.
  void Watch(const std::string& id);
  bool WaitForWatched(std::chrono::milliseconds timeout) const;

  // The totals at the snapshot that it began from last.
  LogTotals loaded() const;

  const KeyedRows& prior() const { return prior_; }
  const LogRules& rules() const { return log_.rules(); }

  struct Copy {
    SnapshotNote note;
    KeyedRows posterior;
    std::vector<std::string> vocabulary;
    LogTotals totals;
  };
  // All that a snapshot holds.
  Copy CopyAll() const;
  // How often it began from a snapshot: once, and again whenever the log was trimmed beyond
  // the place where it read.
  uint64_t loads() const;

 private:
  void PollLog(std::chrono::milliseconds timeout);
  void LoadSnapshot();
  void LoadNewerSnapshot();
  void Fold(const Message& message);
  void Show();
  void Decided(const SetAside& message, std::string_view id);
  void Report(const SetAside& message);

  const Job job_;
  const KeyedRows prior_;
  const Context context_;
  const OnSetAside report_;
  Consumer consumer_;

  // The reader's own.
  BrokerAnswers answers_;
  CheckedLog log_;
  bool reload_ = false;  // a newer snapshot is needed
  bool at_end_ = false;
  int64_t end_ = 0;          // where the log ended when it did
  int64_t reported_to_ = 0;  // offsets whose messages were reported, if set aside
  int64_t snapshots_reported_to_ = 0;
  uint64_t reported_ = 0;  // how many were

  mutable std::shared_mutex mutex_;  // guards what follows
  mutable std::condition_variable_any news_;
  KeyedRows posterior_;
  std::vector<std::string> vocabulary_;
  LogTotals totals_;
  LogTotals loaded_;
  uint64_t bad_snapshots_ = 0;
  SnapshotNote place_;  // in the log
  int64_t position_ = 0;
  uint64_t loads_ = 0;
  std::exception_ptr failure_;
  std::string watched_;  // id of a delta that is waited for; empty when it is folded
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_LOG_VIEW_H_
