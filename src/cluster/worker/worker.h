#ifndef SDA_CLUSTER_WORKER_WORKER_H_
#define SDA_CLUSTER_WORKER_WORKER_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cluster/job.h"
#include "cluster/job_settings.h"
#include "cluster/log/log_view.h"
#include "cluster/worker/member.h"
#include "cluster/worker/worker_numbers.h"
#include "cluster/worker/worker_options.h"
#include "sda/context.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/observer.h"

namespace sda::cluster {

class Keeper;

// One worker of a job, from joining it to leaving it: the loop of sda/loop.h, with a source that is
// a member of the job's group, and a store that is the job's log.
class Worker {
 public:
  struct Options {
    std::string name;  // of the worker, unique
    bool until_caught_up = false;
    std::optional<uint64_t> max_staleness;
  };

  // Throws InputError if the job's settings cannot be read.
  Worker(const Job& job, const Options& options, Context context);

  // Works until the context is stopped, or until all is learnt if the options ask for that. The
  // observer sees the work done since the words were settled; on_start_sweep is for the first
  // minibatch of the job, which must not be shortened. Throws RunError, KafkaError or InputError.
  void Run(const Observer& observer = {}, const OnSweep& on_start_sweep = {});

  // What was done in all. After Run().
  const Summary& summary() const { return summary_; }
  // For any thread, at any time.
  WorkerNumbers Numbers() const;

 private:
  // The parts that know numbers, while they exist; their last ones are kept.
  class Watched;

  bool RunOnce(const Observer& observer, const OnSweep& on_start_sweep);
  std::vector<SetAside> OtherSettings() const;
  Member::Offsets FoldedOffsets(const LogView& view, bool begun, const Context& run) const;

  const Job job_;
  const std::string name_;
  const JobSettings settings_;
  WorkerOptions options_;
  const Context context_;

  mutable std::mutex mutex_;  // guards what follows
  Summary summary_;           // of the runs that are over
  Summary current_;
  uint64_t rejoined_ = 0;
  uint64_t expired_ = 0;
  uint64_t snapshots_ = 0;
  const Watched* watched_ = nullptr;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_WORKER_H_
