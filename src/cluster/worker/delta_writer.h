#ifndef SDA_CLUSTER_WORKER_DELTA_WRITER_H_
#define SDA_CLUSTER_WORKER_DELTA_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/job.h"
#include "cluster/log/body.h"
#include "cluster/log/log_view.h"
#include "cluster/log/note.h"
#include "cluster/worker/member.h"
#include "sda/context.h"
#include "sda/keyed_rows.h"
#include "sda/store.h"

namespace sda::cluster {

// Writes to the log of a job, each time in a transaction that also commits the member's current
// documents: their delta, or that there was nothing to learn from them. For the thread that
// takes the documents.
//
// A worker that cannot read the log does not write to it: if the view has failed, its exception is
// thrown and nothing is committed. Nor does it write a delta that others would set aside.
class DeltaWriter {
 public:
  // All must outlive this; the view is polled by another thread.
  DeltaWriter(const Job& job, std::string worker, Transport transport, Member* member,
              LogView* view, Context context);

  // The words that this worker chose: they become the job's if its delta is the first one.
  void SetWords(std::vector<std::string> words) { words_ = std::move(words); }

  // False if nothing was learnt: the documents were reassigned to another worker meanwhile, or the
  // delta has numbers that no delta can have. Then they are counted as bad messages, since to read
  // them again would end in the same way.
  bool Write(const Delta<KeyedRows>& delta);
  // Messages that hold no document, or none with a known word. False if they were reassigned.
  bool WriteNothing(const Counts& counts);

  // Until the view has what was written last.
  void WaitForView() const;
  // Called now and then while nothing is written: see Member.
  void EndAgainIfLost() const;

 private:
  void Check(const DeltaNote& note, const std::string& body, uint64_t words) const;
  bool Commit(DeltaNote note, const std::string& body);

  const Job job_;
  const std::string worker_;
  const Transport transport_;
  Member& member_;
  LogView& view_;
  const Context context_;
  std::vector<std::string> words_;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_DELTA_WRITER_H_
