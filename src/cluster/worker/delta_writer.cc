#include "cluster/worker/delta_writer.h"

#include <chrono>
#include <utility>

#include "cluster/log/chunks.h"
#include "cluster/log/note.h"

namespace sda::cluster {
namespace {

DeltaNote NoteOf(const Delta<KeyedRows>& delta) {
  return {.id = RandomId(),
          .documents = delta.counts.items,
          .tokens = delta.counts.tokens,
          .skipped = delta.counts.skipped,
          .bad = delta.counts.bad,
          .deltas_in_prior = delta.deltas_in_prior,
          .discount = delta.discount,
          .seconds = delta.seconds,
          .score_sum = delta.prediction.log_sum,
          .score_tokens = delta.prediction.tested};
}

}  // namespace

DeltaWriter::DeltaWriter(const Job& job, std::string worker, Transport transport, Member* member,
                         LogView* view, Context context)
    : job_(job),
      worker_(std::move(worker)),
      transport_(transport),
      member_(*member),
      view_(*view),
      context_(std::move(context)) {}

bool DeltaWriter::Write(const Delta<KeyedRows>& delta) {
  const bool first = view_.totals().documents == 0;
  return Commit(delta, first ? words_ : std::vector<std::string>());
}

bool DeltaWriter::WriteNothing(const Counts& counts) {
  Delta<KeyedRows> nothing{.change = KeyedRows(std::vector<double>(view_.prior().width())),
                           .deltas_in_prior = view_.deltas(),
                           .counts = counts};
  return Commit(nothing, {});
}

void DeltaWriter::WaitForView() const {
  while (!context_.StopRequested() && !view_.WaitForWatched(std::chrono::milliseconds(100))) {
  }
}

bool DeltaWriter::Commit(const Delta<KeyedRows>& delta, const std::vector<std::string>& words) {
  DeltaNote note = NoteOf(delta);
  note.job = job_.id;
  note.worker = worker_;
  const std::string body = PackDelta(delta.change, words, transport_);
  const uint64_t chunks = ChunksOf(body);
  view_.Watch(note.id);
  const bool committed = member_.Commit([&](Producer& producer, const Member::Offsets& next) {
    view_.ExpectReadable();
    note.offsets = next;
    for (uint64_t i = 0; i < chunks; ++i) {
      producer.Produce(job_.deltas_topic(), 0, note.id, Chunk(body, i), kNoteHeader,
                       ToHeader(note, i, chunks));
    }
  });
  if (!committed) {
    view_.Watch("");
  } else if (view_.totals().documents == 0) {
    WaitForView();  // the source asks whether there was a first one
  }
  return committed;
}

}  // namespace sda::cluster
