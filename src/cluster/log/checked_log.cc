#include "cluster/log/checked_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/log/body.h"
#include "cluster/log/delta_check.h"
#include "cluster/log/note_json.h"
#include "sda/errors.h"

namespace sda::cluster {

CheckedLog::CheckedLog(LogRules rules, LogQuestions questions, Report report)
    : rules_(std::move(rules)),
      questions_(std::move(questions)),
      report_(std::move(report)),
      assembler_(rules_.DeltaLimits()),
      words_(rules_.words) {}

void CheckedLog::Begin() { Begin({}, {}, 0); }

void CheckedLog::Begin(const SnapshotNote& snapshot, const LogTotals& totals, uint64_t words) {
  assembler_.Clear();
  totals_ = totals;
  words_ = rules_.words > 0 ? rules_.words : words;
  position_ = snapshot.position;
  begun_ = snapshot;
}

std::optional<CheckedLog::Delta> CheckedLog::Add(const LogMessage& message) {
  PassTo(message.offset + 1);
  if (message.offset < begun_.read_to) {
    AssembleAgain(message);
    return std::nullopt;
  }
  std::string id;
  try {
    const std::optional<DeltaNote> note = NoteOf(message);
    if (!note) return std::nullopt;
    id = note->id;
    CheckNumbers(*note, rules_);
    const auto whole =
        assembler_.Add(message.header, message.value, message.offset, message.milliseconds);
    for (const Assembler::GivenUp& other : assembler_.TakeGivenUp()) {
      Aside(other.first_offset, other.why, other.id);
    }
    if (whole) return Check(*whole, message.milliseconds);
  } catch (const NewerVersion& e) {
    questions_.expect_same_version();
    Aside(message.offset, e.what(), id);
  } catch (const InputError& e) {
    Aside(message.offset, e.what(), id);
  }
  return std::nullopt;
}

void CheckedLog::PassTo(int64_t offset) { position_ = std::max(position_, offset); }

void CheckedLog::Describe(SnapshotNote* snapshot) const {
  const bool begins = position_ < begun_.read_to;  // it has yet to read the incomplete ones again
  snapshot->position = begins ? begun_.position : assembler_.FirstPending(position_);
  snapshot->read_to = begins ? begun_.read_to : position_;
  snapshot->pending = begins ? begun_.pending : assembler_.PendingIds();
}

// Nothing if it is of a job of this name that was deleted.
std::optional<DeltaNote> CheckedLog::NoteOf(const LogMessage& message) const {
  if (message.header.empty()) throw InputError("has no note");
  DeltaNote note = ParseDeltaHeader(message.header);
  if (note.job != rules_.job) return std::nullopt;
  return note;
}

// The message is in the snapshot, unless it belongs to a delta that was not complete there.
void CheckedLog::AssembleAgain(const LogMessage& message) {
  try {
    const std::optional<DeltaNote> note = NoteOf(message);
    if (!note || std::count(begun_.pending.begin(), begun_.pending.end(), note->id) == 0) return;
    CheckNumbers(*note, rules_);
    assembler_.Add(message.header, message.value, message.offset, message.milliseconds);
  } catch (const InputError&) {
    // It was set aside before the snapshot, and is counted there.
  }
}

std::optional<CheckedLog::Delta> CheckedLog::Check(const Assembler::Whole& whole,
                                                   int64_t milliseconds) {
  Delta delta{.note = ParseDeltaHeader(whole.header)};
  const DeltaNote& note = delta.note;
  CheckPlace(note, totals_, rules_);
  CheckEnds(note);
  DeltaBody body = UnpackDelta(whole.body, rules_.prior.width(),
                               rules_.MostRowBytes(words_) + rules_.MostWordBytes());
  const bool brings_words = words_ == 0 && note.documents > 0;
  if (brings_words) CheckWords(body.vocabulary, rules_);
  if (!brings_words && !body.vocabulary.empty()) {
    throw InputError("has a vocabulary, though the job has one");
  }
  const uint64_t words = brings_words ? body.vocabulary.size() : words_;
  CheckChange(note, body.change, words);

  words_ = words;
  totals_.Add(note, whole.body.size(), milliseconds);
  delta.change = std::move(body.change);
  delta.vocabulary = std::move(body.vocabulary);
  return delta;
}

void CheckedLog::CheckEnds(const DeltaNote& note) {
  for (const auto& [partition, range] : note.offsets) {
    const auto known = ends_.find(partition);
    if (known != ends_.end() && range.to <= known->second) continue;
    const int64_t end = questions_.end_of(partition, range.to);
    if (end < range.to) {
      throw InputError(
          fmt::format("is of documents that do not exist: of partition {}, up to offset {}",
                      partition, range.to));
    }
    ends_[partition] = end;
  }
}

void CheckedLog::Aside(int64_t offset, std::string_view reason, std::string_view id) {
  SetAside message{.topic = rules_.topic,
                   .offset = offset,
                   .reason = fmt::format("the delta {}", reason).substr(0, kMostReasonBytes)};
  if (report_) report_(message, id);
  totals_.set_aside.Add(std::move(message));
}

}  // namespace sda::cluster
