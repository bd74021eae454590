#include "cluster/worker/delta_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.h"
#include "cluster/log/chunks.h"
#include "cluster/log/delta_check.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

DeltaNote NoteOf(const Delta<KeyedRows>& delta) {
  DeltaNote note{.id = RandomId(),
                 .documents = delta.counts.items,
                 .tokens = delta.counts.tokens,
                 .skipped = delta.counts.skipped,
                 .bad = delta.counts.bad,
                 .deltas_in_prior = delta.deltas_in_prior,
                 .discount = delta.discount,
                 .seconds = delta.seconds};
  // A score that is no number is left out: the documents are learnt from all the same.
  const auto tested = static_cast<double>(delta.prediction.tested);
  if (delta.prediction.tested <= note.tokens && IsPossibleScore(delta.prediction.log_sum, tested)) {
    note.score_sum = delta.prediction.log_sum;
    note.score_tokens = delta.prediction.tested;
  }
  return note;
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
  const LogRules& rules = view_.rules();
  const bool first = rules.words == 0 && view_.words() == 0;
  const std::vector<std::string> words = first ? words_ : std::vector<std::string>();
  const DeltaNote note = NoteOf(delta);
  const std::string body = PackDelta(delta.change, words, transport_);
  try {
    Check(note, body, first ? words.size() : std::max(rules.words, view_.words()));
  } catch (const InputError& e) {
    context_.Log(fmt::format("the delta of {} {}; nothing is learnt from them",
                             Plural(note.documents, "document", "documents"), e.what()));
    WriteNothing({.skipped = note.skipped, .bad = note.bad + note.documents});
    return false;
  }
  return Commit(note, body);
}

// As the others will: what they would set aside would be lost.
void DeltaWriter::Check(const DeltaNote& note, const std::string& body, uint64_t words) const {
  CheckNumbers(note, view_.rules());
  CheckChange(note, UnpackDelta(body, view_.prior().width()).change, words);
}

bool DeltaWriter::WriteNothing(const Counts& counts) {
  Delta<KeyedRows> nothing{.change = KeyedRows(std::vector<double>(view_.prior().width())),
                           .deltas_in_prior = view_.deltas(),
                           .counts = counts};
  return Commit(NoteOf(nothing), PackDelta(nothing.change, {}, transport_));
}

void DeltaWriter::WaitForView() const {
  while (!context_.StopRequested() && !view_.WaitForWatched(std::chrono::milliseconds(100))) {
    EndAgainIfLost();
  }
}

void DeltaWriter::EndAgainIfLost() const {
  if (view_.WaitForWatched(std::chrono::milliseconds(0))) return;
  member_.EndAgainIfLost(view_.position());
}

bool DeltaWriter::Commit(DeltaNote note, const std::string& body) {
  // If Kafka has forgotten to end the transaction before, an abort of this one would undo it.
  WaitForView();
  if (!view_.WaitForWatched(std::chrono::milliseconds(0))) return false;  // it is stopped
  note.job = job_.id;
  note.worker = worker_;
  const uint64_t chunks = ChunksOf(body);
  view_.Watch(note.id);
  const bool committed = member_.Commit([&](Producer& producer, const Member::Ranges& offsets) {
    view_.ExpectReadable();
    note.offsets = offsets;
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
