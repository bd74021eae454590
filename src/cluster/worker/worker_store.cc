#include "cluster/worker/worker_store.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

namespace sda::cluster {

using std::chrono::milliseconds;

WorkerStore::WorkerStore(const Job& job, std::string worker, const WorkerOptions& options,
                         Transport transport, Member* member, LogView* view,
                         const WorkerSource* source, const std::atomic<bool>* stop)
    : Store<KeyedRows>(view->prior()),
      job_(job),
      client_(RD_KAFKA_PRODUCER, job.client),
      worker_(std::move(worker)),
      options_(options),
      transport_(transport),
      member_(*member),
      view_(*view),
      source_(*source),
      stop_(*stop) {}

// Until the view has the last delta of this worker.
void WorkerStore::WaitForOwn() const {
  while (!stop_ && !view_.WaitForWatched(milliseconds(100))) {
  }
}

// Until the view lacks no more deltas than it may.
void WorkerStore::CatchUp() const {
  // A delta takes two places of the log at least: a chunk, and the mark of its transaction.
  const auto most = static_cast<int64_t>(2 * *options_.max_staleness);
  std::optional<int64_t> end;
  while (!stop_ && (!end || *end - view_.position() > most)) {
    try {
      if (!end) end = client_.Offsets(job_.deltas_topic(), 0).end;
    } catch (const KafkaError&) {
      // It is asked again: without an answer nobody can say how much is missing.
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
}

void WorkerStore::Read(const KeyedRows::Selection& selection, Snapshot<KeyedRows>* out) const {
  WaitForOwn();
  if (options_.max_staleness) CatchUp();
  uint64_t deltas = 0;
  if (options_.fixed_prior) {
    deltas = view_.deltas();
    prior().CopyTo(selection, &out->params);
  } else {
    deltas = view_.Read(selection, &out->params);
  }
  out->folded = IdSet::FirstOnes(deltas);
  began_ = std::chrono::steady_clock::now();
}

AddResult WorkerStore::Add(const Delta<KeyedRows>& delta) {
  const uint64_t come = view_.deltas() - std::min(view_.deltas(), delta.deltas_in_prior);
  if (!Commit(source_.counts(), delta.change, delta.deltas_in_prior, delta.discount)) {
    return {false, 0};
  }
  folded_.Insert(delta.minibatch);
  return {true, come};
}

bool WorkerStore::AddNothing(const WorkerSource::Counts& counts) {
  score_ = {};
  began_ = std::chrono::steady_clock::now();
  const KeyedRows nothing(std::vector<double>(prior().width()));
  return Commit(counts, nothing, view_.deltas(), 1);
}

bool WorkerStore::Commit(const WorkerSource::Counts& counts, const KeyedRows& change,
                         uint64_t deltas_in_prior, double discount) {
  const std::chrono::duration<double> computing = std::chrono::steady_clock::now() - began_;
  const LdaScore score = std::exchange(score_, {});
  DeltaNote note{
      .job = job_.id,
      .id = RandomId(),
      .worker = worker_,
      .documents = counts.documents,
      .tokens = counts.tokens,
      .skipped = counts.skipped,
      .bad = counts.bad,
      .deltas_in_prior = deltas_in_prior,
      .discount = discount,
      .seconds = computing.count(),
      .score_sum = score.log_predictive * static_cast<double>(score.test_tokens),
      .score_tokens = score.test_tokens,
  };
  const std::string body = PackDelta(change, counts.vocabulary, transport_);
  const uint64_t chunks = ChunksOf(body);
  view_.Watch(note.id);
  const bool committed = member_.Commit([&](Producer& producer, const Member::Offsets& next) {
    note.offsets = next;
    for (uint64_t i = 0; i < chunks; ++i) {
      producer.Produce(job_.deltas_topic(), 0, note.id, Chunk(body, i), kNoteHeader,
                       ToHeader(note, i, chunks));
    }
  });
  if (!committed) {
    view_.Watch("");
    return false;
  }
  if (view_.totals().documents == 0) WaitForOwn();  // the source asks whether there was a first one
  return true;
}

}  // namespace sda::cluster
