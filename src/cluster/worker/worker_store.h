#ifndef SDA_CLUSTER_WORKER_WORKER_STORE_H_
#define SDA_CLUSTER_WORKER_WORKER_STORE_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "cluster/log/log_view.h"
#include "cluster/worker/member.h"
#include "cluster/worker/worker_source.h"
#include "sda/lda_score.h"
#include "sda/store.h"

namespace sda::cluster {

// The posterior of a job, as one worker sees it: reading is from its view, adding is a transaction
// of the log. Read() waits for what this worker has added itself, and for nobody else.
class WorkerStore : public Store<KeyedRows> {
 public:
  using Store<KeyedRows>::Read;

  // All must outlive this; the view is polled by somebody else.
  WorkerStore(const Job& job, std::string worker, const WorkerOptions& options, Transport transport,
              Member* member, LogView* view, const WorkerSource* source,
              const std::atomic<bool>* stop);

  void Read(const KeyedRows::Selection& selection, Snapshot<KeyedRows>* out) const override;
  // The staleness it returns is what this worker has heard of so far.
  AddResult Add(const Delta<KeyedRows>& delta) override;
  // The minibatches of this worker's source.
  IdSet Folded() const override { return folded_; }

  // Commits that documents were read, though there was nothing to learn.
  bool AddNothing(const WorkerSource::Counts& counts);

  // How well documents of the minibatch in hand were foretold.
  void SetScore(const LdaScore& score) { score_ = score; }

 private:
  bool Commit(const WorkerSource::Counts& counts, const KeyedRows& change, uint64_t deltas_in_prior,
              double discount);
  void WaitForOwn() const;
  void CatchUp() const;

  const Job job_;
  const Client client_;
  const std::string worker_;
  const WorkerOptions options_;
  const Transport transport_;
  Member& member_;
  LogView& view_;
  const WorkerSource& source_;
  const std::atomic<bool>& stop_;
  IdSet folded_;
  LdaScore score_;
  mutable std::chrono::steady_clock::time_point began_;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_WORKER_STORE_H_
