#ifndef SDA_CLUSTER_WORKER_WORKER_STORE_H_
#define SDA_CLUSTER_WORKER_WORKER_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/log/log_view.h"
#include "cluster/worker/careful_primitive.h"
#include "cluster/worker/delta_writer.h"
#include "cluster/worker/member.h"
#include "cluster/worker/worker_options.h"
#include "sda/context.h"
#include "sda/store.h"

namespace sda::cluster {

// The posterior of a job, as one worker sees it: reading is from its view, adding is a transaction
// of the log. Read() waits for this worker's own deltas, and for no others.
class WorkerStore : public Store<KeyedRows> {
 public:
  using Store<KeyedRows>::Read;

  // All must outlive this; the view is polled by another thread.
  // `left_out` has the documents of a minibatch that its delta leaves out.
  WorkerStore(const Job& job, const WorkerOptions& options, Member* member, DeltaWriter* writer,
              const LogView* view, const std::vector<LeftOut>* left_out, Context context);

  // `folded` holds as many ids as there are deltas in the view; they are not those of minibatches.
  void Read(const KeyedRows::Selection& selection, Snapshot<KeyedRows>* out) const override;
  // The staleness it returns is based on the log as far as this worker has read it. A minibatch
  // that is not folded was reassigned to another worker.
  AddResult Add(const Delta<KeyedRows>& delta) override;
  // None of those that the source will hand out again.
  IdSet Folded() const override { return {}; }

 private:
  void CatchUp() const;
  bool WriteWithout(const Delta<KeyedRows>& delta);

  const Job job_;
  const Client client_;
  const WorkerOptions options_;
  Member& member_;
  DeltaWriter& writer_;
  const LogView& view_;
  const std::vector<LeftOut>& left_out_;
  const Context context_;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_WORKER_STORE_H_
