#ifndef SDA_CLUSTER_LOG_SNAPSHOT_CHECK_H_
#define SDA_CLUSTER_LOG_SNAPSHOT_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/log/body.h"
#include "cluster/log/checked_log.h"
#include "cluster/log/chunks.h"
#include "cluster/log/log_rules.h"
#include "cluster/log/log_totals.h"
#include "cluster/log/note.h"
#include "cluster/log/set_aside.h"

namespace sda::cluster {

// Throws InputError if this is not what a keeper writes: the message continues "the snapshot ...".
// The keeper checks its own before it writes it.
void CheckSnapshot(const SnapshotNote& note, const LogTotals& totals, const SnapshotBody& body,
                   const LogRules& rules);

// The newest snapshot of a topic that is good, and from which the log can be read on. Everything
// that is not a snapshot is set aside. At most two are in memory.
class CheckedSnapshots {
 public:
  struct Snapshot {
    SnapshotNote note;
    LogTotals totals;
    SnapshotBody body;
    uint64_t bytes = 0;  // as it is in the topic
    int64_t milliseconds = 0;
  };

  // `log_begin`: the first offset that the log of deltas still has.
  CheckedSnapshots(LogRules rules, std::string topic, int64_t log_begin, LogQuestions questions);

  // The messages of the topic, in its order. Throws what the questions throw.
  void Add(const LogMessage& message);

  std::optional<Snapshot>& newest() { return newest_; }
  const SetAsides& set_aside() const { return set_aside_; }

 private:
  void Check(Assembler::Whole whole, int64_t milliseconds);
  void CheckPlaces(const SnapshotNote& note, const LogTotals& totals) const;
  void Aside(int64_t offset, std::string_view reason);

  const LogRules rules_;
  const std::string topic_;
  const int64_t log_begin_;
  const LogQuestions questions_;
  Assembler assembler_;
  std::optional<Snapshot> newest_;
  SetAsides set_aside_;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_SNAPSHOT_CHECK_H_
