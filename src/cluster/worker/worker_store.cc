#include "cluster/worker/worker_store.h"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

namespace sda::cluster {

using std::chrono::milliseconds;

WorkerStore::WorkerStore(const Job& job, const WorkerOptions& options, Member* member,
                         DeltaWriter* writer, const LogView* view,
                         const std::vector<LeftOut>* left_out, Context context)
    : Store<KeyedRows>(view->prior()),
      job_(job),
      client_(job.client),
      options_(options),
      member_(*member),
      writer_(*writer),
      view_(*view),
      left_out_(*left_out),
      context_(std::move(context)) {}

// Until the view lacks at most the allowed number of deltas.
void WorkerStore::CatchUp() const {
  // A delta takes two places of the log at least: a chunk, and the mark of its transaction.
  const auto most = static_cast<int64_t>(2 * *options_.max_staleness);
  std::optional<int64_t> end;
  while (!context_.StopRequested() && (!end || *end - view_.position() > most)) {
    try {
      if (!end) end = client_.EndOffset(job_.deltas_topic(), 0);
    } catch (const KafkaError&) {
      // Asked again: without an answer it is unknown how much is missing.
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
}

void WorkerStore::Read(const KeyedRows::Selection& selection, Snapshot<KeyedRows>* out) const {
  writer_.WaitForView();
  if (options_.max_staleness) CatchUp();
  uint64_t deltas = 0;
  if (options_.fixed_prior) {
    deltas = view_.deltas();
    prior().CopyTo(selection, &out->params, context_.pool());
  } else {
    deltas = view_.Read(selection, &out->params);
  }
  out->folded = IdSet::FirstOnes(deltas);
}

// What was left out was counted when it was read.
bool WorkerStore::WriteWithout(const Delta<KeyedRows>& delta) {
  Counts counts = delta.counts;
  std::vector<SetAside> messages;
  for (const LeftOut& document : left_out_) {
    --counts.items;
    counts.tokens -= document.tokens;
    ++counts.bad;
    messages.push_back(Member::Document::Place(job_.documents, document.number, document.reason));
  }
  RejectDocuments(std::move(messages), &member_, context_);
  if (counts.items == 0) return writer_.WriteNothing(counts);
  Delta<KeyedRows> rest = delta;
  rest.counts = counts;
  return writer_.Write(rest);
}

AddResult WorkerStore::Add(const Delta<KeyedRows>& delta) {
  // Read once: a view that begins again from an older snapshot holds fewer from one call to the
  // next.
  const uint64_t staleness = StalenessOf(view_.deltas(), delta.deltas_in_prior);
  const bool written = left_out_.empty() ? writer_.Write(delta) : WriteWithout(delta);
  if (!written) return {false, 0};
  return {true, staleness};
}

}  // namespace sda::cluster
