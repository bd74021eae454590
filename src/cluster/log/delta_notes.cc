#include "cluster/log/delta_notes.h"

#include <algorithm>

#include "cluster/log/delta_check.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

constexpr int64_t kMinute = 60'000;  // milliseconds

}  // namespace

void DeltaNotes::Begin() { Begin({}, {}, 0); }

void DeltaNotes::Begin(const SnapshotNote& snapshot, const LogTotals& totals, uint64_t words) {
  log_.Begin(snapshot, totals, words);
  read_to_ = snapshot.read_to;
  recent_.clear();
}

void DeltaNotes::Add(const LogMessage& message) {
  const auto delta = log_.Add(message);
  if (delta) AddToRate(delta->note, message.milliseconds);
  if (message.offset >= read_to_) return;
  try {
    const ChunkNote chunk = ParseChunk(message.header);
    const DeltaNote note = ParseDeltaHeader(message.header);
    CheckNumbers(note, log_.rules());
    const bool last = chunk.chunk + 1 == chunk.chunks;
    if (last && note.job == log_.rules().job && MayBeInSnapshot(note)) {
      AddToRate(note, message.milliseconds);
    }
  } catch (const InputError&) {
    // It was set aside, and is counted in the snapshot.
  }
}

bool DeltaNotes::MayBeInSnapshot(const DeltaNote& note) const {
  const LogRules& rules = log_.rules();
  if (note.documents + note.skipped + note.bad > std::max(rules.minibatch, rules.first_minibatch)) {
    return false;
  }
  const auto& offsets = log_.totals().offsets;
  return std::all_of(note.offsets.begin(), note.offsets.end(), [&](const auto& of) {
    const auto folded = offsets.find(of.first);
    return folded != offsets.end() && of.second.to <= folded->second;
  });
}

void DeltaNotes::AddToRate(const DeltaNote& note, int64_t milliseconds) {
  recent_.push_back({milliseconds, note.seconds, note.worker, note.documents,
                     note.documents + note.skipped + note.bad});
  while (recent_.front().milliseconds <= milliseconds - kMinute) recent_.pop_front();
}

DeltaNotes::Rate DeltaNotes::RateAt(int64_t milliseconds, bool caught_up) const {
  Rate rate;
  if (recent_.empty()) return rate;
  auto computing = [](const Recent& delta) {
    constexpr double kLeast = 1;  // millisecond
    return std::max(kLeast, 1000 * delta.seconds);
  };
  double longest = 0;
  for (const Recent& delta : recent_) longest = std::max(longest, computing(delta));
  const double last = static_cast<double>(recent_.back().milliseconds);
  const double end = std::max(last, static_cast<double>(milliseconds) - longest);
  if (caught_up && end > last) return rate;

  // A delta was made from when its computing began until it was written. What of that is in the
  // minute counts; a job that is younger than a minute has had less than that.
  double begin = last;
  for (const Recent& delta : recent_) {
    begin = std::min(begin, static_cast<double>(delta.milliseconds) - computing(delta));
  }
  begin = std::max(begin, end - kMinute);
  const double seconds = (end - begin) / 1000;
  for (const Recent& delta : recent_) {
    const double in_minute = static_cast<double>(delta.milliseconds) - begin;
    const double share = std::clamp(in_minute / computing(delta), 0.0, 1.0);
    const double documents = share * static_cast<double>(delta.documents) / seconds;
    rate.documents_per_second += documents;
    rate.messages_per_second += share * static_cast<double>(delta.messages) / seconds;
    rate.of_worker[delta.worker] += documents;
  }
  return rate;
}

}  // namespace sda::cluster
