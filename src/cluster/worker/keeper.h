#ifndef SDA_CLUSTER_WORKER_KEEPER_H_
#define SDA_CLUSTER_WORKER_KEEPER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "cluster/job.h"
#include "cluster/log/log_view.h"
#include "cluster/worker/dead_letter_box.h"
#include "sda/context.h"

namespace sda::cluster {

// One worker of a job is its keeper: from time to time it writes its view as a snapshot, and trims
// the log up to the snapshot before that. The others stand by. A separate consumer group assigns
// the one partition of the snapshots' topic to the keeper, so that another worker takes over when
// it dies. A keeper that lost the partition cannot write any more: its transactions are refused.
class Keeper {
 public:
  // A snapshot after that number of deltas; 0: when the log since the last snapshot is twice as
  // large as that, and at least 64 MiB. Failures go to the context's log.
  // The keeper also notes which messages of the log were set aside: `letters`.
  Keeper(const Job& job, std::string worker, uint64_t every, const LogView* view,
         DeadLetterBox* letters, Context context);
  ~Keeper();

  bool is_keeper() const { return is_keeper_; }
  uint64_t snapshots() const { return snapshots_; }

 private:
  void Run(const std::stop_token& stop);
  bool IsDue();
  std::unique_ptr<Producer> NewProducer(const std::stop_token& stop);
  int64_t NewestSnapshot(const std::stop_token& stop);
  void Write(Producer* producer, const std::stop_token& stop);
  void WriteLetters(Producer* producer);
  void Trim(const Producer& producer, const std::stop_token& stop) const;

  const Job job_;
  const std::string worker_;
  const uint64_t every_;
  const LogView& view_;
  DeadLetterBox& letters_;
  const Context context_;
  std::atomic<bool> is_keeper_ = false;
  std::atomic<uint64_t> snapshots_ = 0;
  std::optional<LogTotals> last_;  // at the last snapshot
  uint64_t snapshot_bytes_ = 0;
  int64_t newest_ = 0;             // where the newest snapshot continues, of any keeper
  int64_t trim_to_ = 0;            // the position of the last snapshot,
  int64_t trim_snapshots_to_ = 0;  // and where it begins in its topic
  int64_t noted_snapshots_to_ = 0;
  std::jthread thread_;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_KEEPER_H_
