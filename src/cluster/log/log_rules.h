#ifndef SDA_CLUSTER_LOG_LOG_RULES_H_
#define SDA_CLUSTER_LOG_LOG_RULES_H_

#include <cstdint>
#include <string>

#include "cluster/job.h"
#include "cluster/job_settings.h"
#include "cluster/log/chunks.h"
#include "sda/keyed_rows.h"

namespace sda::cluster {

// What the settings of a job say about the messages of its log.
struct LogRules {
  std::string job;  // id
  std::string topic;
  KeyedRows prior;
  uint64_t words = 0;       // in the settings; 0: those of the first delta
  uint64_t most_words = 0;  // that it may have
  uint64_t minibatch = 0;   // documents, at most
  uint64_t first_minibatch = 0;
  double half_life = 0;  // documents; 0: nothing is forgotten

  static LogRules Of(const Job& job, const JobSettings& settings);
  // Throws InputError if the settings cannot be read.
  static LogRules Of(const Job& job) { return Of(job, JobSettings::FromJson(job.settings)); }

  // Of a delta or a snapshot, not compressed: of the rows, if the log has that many words (0: it
  // has none yet), and of words that come with it.
  uint64_t MostRowBytes(uint64_t words_known) const;
  uint64_t MostWordBytes() const;
  // Of what is not whole, of deltas and of snapshots.
  Assembler::Limits DeltaLimits() const;
  Assembler::Limits SnapshotLimits() const;
};

// How far the sum of a delta may be from its tokens. Every primitive of a job (Gibbs, VB) gives
// each token the sum 1; VB with floats rounds each of the `topics` numbers of a token, and what
// they are divided by, by at most 2^-24; the transport rounds once more. This is four times that.
constexpr double MassTolerance(uint64_t tokens, size_t topics) {
  constexpr double kUnit = 1.0 / (1 << 22);
  return 1e-6 + static_cast<double>(tokens) * static_cast<double>(topics + 8) * kUnit;
}

// No total grows beyond this, so that no sum wraps, and a model can be saved with it.
inline constexpr uint64_t kMostTotal = uint64_t{1} << 60;

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_LOG_RULES_H_
