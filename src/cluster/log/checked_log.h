#ifndef SDA_CLUSTER_LOG_CHECKED_LOG_H_
#define SDA_CLUSTER_LOG_CHECKED_LOG_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/log/chunks.h"
#include "cluster/log/log_rules.h"
#include "cluster/log/log_totals.h"
#include "cluster/log/note.h"
#include "cluster/log/set_aside.h"
#include "sda/keyed_rows.h"

namespace sda::cluster {

// A message of the log, as a broker sends it.
struct LogMessage {
  std::string_view header;  // the note; empty: none
  std::string_view value;
  int64_t offset = 0;
  int64_t milliseconds = -1;  // when the broker wrote it; -1: not known
};

// What the checks ask of others.
struct LogQuestions {
  // Where a partition of the documents ends now; -1 if there is no such partition. `at_least`: what
  // a message claims. Waits for the answer, or throws.
  std::function<int64_t(int32_t partition, int64_t at_least)> end_of;
  // Where the log ends now; in the same way.
  std::function<int64_t(int64_t at_least)> end_of_log;
  // A message has a version that this program does not know. Throws InputError if the job is of
  // that version now: then it must not be read on.
  std::function<void()> expect_same_version;
};

// The deltas of a log that count, in its order. Each message is checked when it is read: a delta
// counts if it is what a worker writes, and is of documents that were not folded before. Everything
// else is set aside. What counts is decided by the messages and the job's settings alone, so it is
// the same for all who read; only where partitions end is asked (see LogQuestions), and that is
// never too little for what a worker wrote.
//
// Whoever may write to the log as workers do can still add a delta that looks like theirs.
class CheckedLog {
 public:
  // `id`: of the delta; empty if it is not known.
  using Report = std::function<void(const SetAside&, std::string_view id)>;

  CheckedLog(LogRules rules, LogQuestions questions, Report report = {});

  // At the beginning of the log, or after a snapshot: the next message is the one at its position,
  // or one before.
  void Begin();
  void Begin(const SnapshotNote& snapshot, const LogTotals& totals, uint64_t words);

  struct Delta {
    DeltaNote note;
    KeyedRows change{};
    std::vector<std::string> vocabulary{};  // of the first delta, if it chose the words
  };
  // The delta that the message completes, if it does and counts. Throws what the questions throw:
  // then it must begin again.
  std::optional<Delta> Add(const LogMessage& message);
  // Nothing is in the log before this offset that was not added.
  void PassTo(int64_t offset);

  const LogRules& rules() const { return rules_; }
  const LogTotals& totals() const { return totals_; }
  int64_t position() const { return position_; }  // after what was read
  // Where reading continues after a snapshot of what was read: fills in its note.
  void Describe(SnapshotNote* snapshot) const;

 private:
  std::optional<DeltaNote> NoteOf(const LogMessage& message) const;
  void AssembleAgain(const LogMessage& message);
  std::optional<Delta> Check(const Assembler::Whole& whole, int64_t milliseconds);
  void CheckEnds(const DeltaNote& note);
  void Aside(int64_t offset, std::string_view reason, std::string_view id);

  const LogRules rules_;
  const LogQuestions questions_;
  const Report report_;
  Assembler assembler_;
  LogTotals totals_;
  uint64_t words_ = 0;  // in the vocabulary; 0: not chosen yet
  int64_t position_ = 0;
  SnapshotNote begun_;               // where it began: what was read before is in the totals
  std::map<int32_t, int64_t> ends_;  // of partitions, as far as known
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_CHECKED_LOG_H_
