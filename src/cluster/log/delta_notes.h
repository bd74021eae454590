#ifndef SDA_CLUSTER_LOG_DELTA_NOTES_H_
#define SDA_CLUSTER_LOG_DELTA_NOTES_H_

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "cluster/log/log_totals.h"
#include "cluster/log/note.h"

namespace sda::cluster {

// Follows a log of deltas by their notes alone: what it adds up to, as in a LogView, and how
// fast it grows, without unpacking a delta.
class DeltaNotes {
 public:
  explicit DeltaNotes(std::string job_id) : job_(std::move(job_id)) {}

  // Starts at a snapshot, or at the beginning of the log. Chunks from before the snapshot may
  // follow: they count for the rate alone.
  void Begin();
  void Begin(const SnapshotNote& snapshot);

  // One message of the log, in its order. Throws InputError if the header is not a note.
  void Add(std::string_view header, uint64_t bytes, int64_t offset, int64_t milliseconds);

  const LogTotals& totals() const { return totals_; }

  struct Rate {
    double documents_per_second = 0;
    double messages_per_second = 0;           // with those that were skipped or bad
    std::map<std::string, double> of_worker;  // documents
  };
  // Over the minute before `milliseconds`. The next delta may take as long to compute as one of the
  // last did: until then the minute before the last delta counts. Then 0 if all is caught up.
  Rate RateAt(int64_t milliseconds, bool caught_up) const;

 private:
  struct Pending {
    DeltaNote note;
    uint64_t bytes = 0;
    uint64_t missing = 0;  // chunks
  };
  struct Recent {
    int64_t milliseconds;
    double seconds;  // of computing
    std::string worker;
    uint64_t documents;
    uint64_t messages;
  };
  void AddWhole(const DeltaNote& note, uint64_t bytes, int64_t last_offset, int64_t milliseconds);

  const std::string job_;
  LogTotals totals_;
  int64_t position_ = 0;          // of the snapshot: what ends before is in it,
  std::set<std::string> beyond_;  // and so are these
  std::map<std::string, Pending> pending_;
  std::deque<Recent> recent_;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_DELTA_NOTES_H_
