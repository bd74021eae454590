#ifndef SDA_CLUSTER_LOG_DELTA_NOTES_H_
#define SDA_CLUSTER_LOG_DELTA_NOTES_H_

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "cluster/log/checked_log.h"
#include "cluster/log/log_totals.h"
#include "cluster/log/note.h"

namespace sda::cluster {

// Follows a log of deltas without folding them: what it adds up to, as in a LogView, and how fast
// it grows.
class DeltaNotes {
 public:
  DeltaNotes(LogRules rules, LogQuestions questions)
      : log_(std::move(rules), std::move(questions)) {}

  // Starts at a snapshot, or at the beginning of the log. Messages from before the snapshot may
  // follow: they count for the rate alone.
  void Begin();
  void Begin(const SnapshotNote& snapshot, const LogTotals& totals, uint64_t words);

  // One message of the log, in its order. Throws as CheckedLog::Add().
  void Add(const LogMessage& message);

  const LogRules& rules() const { return log_.rules(); }
  const LogTotals& totals() const { return log_.totals(); }

  struct Rate {
    double documents_per_second = 0;
    double messages_per_second = 0;           // with those that were skipped or bad
    std::map<std::string, double> of_worker;  // documents
  };
  // Over the minute before `milliseconds`. The next delta may take as long to compute as one of the
  // last did: until then the minute before the last delta counts. Then 0 if all is caught up.
  Rate RateAt(int64_t milliseconds, bool caught_up) const;

 private:
  struct Recent {
    int64_t milliseconds;
    double seconds;  // of computing
    std::string worker;
    uint64_t documents;
    uint64_t messages;
  };
  // Of a delta from before the snapshot, which was checked when that was written.
  bool MayBeInSnapshot(const DeltaNote& note) const;
  void AddToRate(const DeltaNote& note, int64_t milliseconds);

  CheckedLog log_;
  int64_t read_to_ = 0;  // of the snapshot: what was written before is in it
  std::deque<Recent> recent_;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_DELTA_NOTES_H_
