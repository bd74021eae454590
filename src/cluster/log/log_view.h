#ifndef SDA_CLUSTER_LOG_LOG_VIEW_H_
#define SDA_CLUSTER_LOG_LOG_VIEW_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "cluster/job.h"
#include "cluster/log/body.h"
#include "cluster/log/chunks.h"
#include "cluster/log/log_totals.h"
#include "cluster/log/note.h"
#include "sda/context.h"
#include "sda/keyed_rows.h"

namespace sda::cluster {

// The posterior of a job: its deltas, added up in the order of the log, from the newest snapshot
// on. Two views at the same place of the log are equal to the last bit, in any process.
//
// One thread reads the log, by Poll(); the rest may be called from any thread.
class LogView {
 public:
  // Reads the newest snapshot. Gives up waiting for a broker, with an exception, when the context
  // is stopped. Work on many rows is shared by its threads.
  LogView(const Job& job, KeyedRows prior, Context context = Context());

  // Folds the next message of the log, if there is one by then. Throws KafkaError, or
  // InputError naming the topic and the offset if the log is damaged, or was written by a newer
  // version of the program. After that nothing may be added to the log: see ExpectReadable().
  void Poll(std::chrono::milliseconds timeout);
  // Folds all that is committed now. For a view that was just made, and that no other thread polls.
  void CatchUp();
  // Throws the last exception of Poll(), if any: a program that does not understand the log
  // must not write to it.
  void ExpectReadable() const;

  // Overwrites *out with the selected part of the posterior; returns how many deltas are in it.
  uint64_t Read(const KeyedRows::Selection& selection, KeyedRows* out) const;
  LogTotals totals() const;
  uint64_t deltas() const { return totals().deltas; }
  // The words, if the log holds them: those of a job that chose them from its first documents.
  std::vector<std::string> vocabulary() const;
  // The offset up to which the log was read.
  int64_t position() const;
  // Whether the delta with the id that Watch() was called with last was folded by then; or the view
  // began again, from a snapshot that may hold it.
  void Watch(const std::string& id);
  bool WaitForWatched(std::chrono::milliseconds timeout) const;

  // The totals at the snapshot that it began from last.
  LogTotals loaded() const;

  const KeyedRows& prior() const { return prior_; }

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
  void FoldWhole(Assembler::Whole whole, int64_t last_offset, int64_t milliseconds);
  bool IsFolded(const std::string& id) const;
  void ForgetPassed();

  const Job job_;
  const KeyedRows prior_;
  const Context context_;
  Consumer consumer_;

  // The reader's own.
  Assembler assembler_;
  bool reload_ = false;  // a newer snapshot is needed
  bool at_end_ = false;
  int64_t end_ = 0;  // where the log ended when it did

  mutable std::shared_mutex mutex_;  // guards what follows
  mutable std::condition_variable_any news_;
  KeyedRows posterior_;
  std::vector<std::string> vocabulary_;
  LogTotals totals_;
  LogTotals loaded_;
  int64_t position_ = 0;
  int64_t resume_ = 0;  // where a snapshot of this continues: before the first incomplete delta
  // Folded deltas with a chunk at or after resume_: id and last offset. One that comes again,
  // after a snapshot, is in the posterior already.
  std::deque<std::pair<std::string, int64_t>> beyond_;
  uint64_t loads_ = 0;
  std::exception_ptr failure_;
  std::string watched_;  // id of a delta that is waited for; empty when it is folded
};

// The position of the newest snapshot in the log; nothing if there is none. Throws as LogView does.
std::optional<int64_t> NewestSnapshot(const Job& job, const std::stop_token& stop);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_LOG_VIEW_H_
