#ifndef SDA_CLUSTER_LOG_LOG_TOTALS_H_
#define SDA_CLUSTER_LOG_LOG_TOTALS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "cluster/log/note.h"
#include "cluster/log/set_aside.h"

namespace sda::cluster {

// How many deltas came between the view that a delta started from, which held `in_prior`, and one
// that holds `now`. A view that began again from an older snapshot may hold fewer: then none.
constexpr uint64_t StalenessOf(uint64_t now, uint64_t in_prior) {
  return now > in_prior ? now - in_prior : 0;
}

// What a log of deltas adds up to, besides the posterior.
struct LogTotals {
  uint64_t deltas = 0;
  uint64_t documents = 0;
  uint64_t tokens = 0;
  uint64_t skipped = 0;  // documents without a known word
  uint64_t bad = 0;      // messages that are not documents
  uint64_t bytes = 0;    // of the deltas as they are in the log

  // How many deltas came between the view that a delta started from and itself.
  uint64_t staleness_last = 0;
  uint64_t staleness_max = 0;
  uint64_t staleness_sum = 0;

  // Log predictive probability of documents before they were learnt from; recent documents count
  // more.
  double score_sum = 0;
  double score_tokens = 0;

  int64_t first_milliseconds = 0;  // when the broker wrote the first delta, and the last
  int64_t last_milliseconds = 0;

  // The offset after the documents that were folded, by partition. Kafka remembers the same for the
  // group of the workers, but forgets it some days after the last of them left.
  std::map<int32_t, int64_t> offsets;

  SetAsides set_aside;  // messages of the log that are not what a worker writes

  void Add(const DeltaNote& note, uint64_t packed_bytes, int64_t milliseconds);

  double score() const { return score_sum / score_tokens; }  // if score_tokens > 0
  double staleness_mean() const {
    return deltas == 0 ? 0 : static_cast<double>(staleness_sum) / static_cast<double>(deltas);
  }

  std::string ToJson() const;
  // Throws InputError.
  static LogTotals FromJson(std::string_view text);
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_LOG_TOTALS_H_
