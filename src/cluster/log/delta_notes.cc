#include "cluster/log/delta_notes.h"

#include <algorithm>

namespace sda::cluster {
namespace {

constexpr int64_t kMinute = 60'000;  // milliseconds

}  // namespace

void DeltaNotes::Begin() { Begin(SnapshotNote{.totals = LogTotals().ToJson()}); }

void DeltaNotes::Begin(const SnapshotNote& snapshot) {
  totals_ = LogTotals::FromJson(snapshot.totals);
  position_ = snapshot.position;
  beyond_.clear();
  for (const auto& [id, last_offset] : snapshot.beyond) beyond_.insert(id);
  pending_.clear();
  recent_.clear();
}

void DeltaNotes::Add(std::string_view header, uint64_t bytes, int64_t offset,
                     int64_t milliseconds) {
  const ChunkNote chunk = ParseChunk(header);
  Pending& pending = pending_[chunk.id];
  if (pending.missing == 0) pending.missing = chunk.chunks;
  if (chunk.chunk == 0) pending.note = ParseDeltaHeader(header);
  pending.bytes += bytes;
  if (--pending.missing > 0) return;
  const Pending whole = std::move(pending);
  pending_.erase(chunk.id);
  if (whole.note.job == job_) AddWhole(whole.note, whole.bytes, offset, milliseconds);
}

void DeltaNotes::AddWhole(const DeltaNote& note, uint64_t bytes, int64_t last_offset,
                          int64_t milliseconds) {
  const bool in_snapshot = last_offset < position_ || beyond_.count(note.id) > 0;
  if (!in_snapshot) totals_.Add(note, bytes, milliseconds);
  recent_.push_back({milliseconds, note.seconds, note.worker, note.documents,
                     note.documents + note.skipped + note.bad});
  const int64_t last = recent_.back().milliseconds;
  while (recent_.front().milliseconds <= last - kMinute) recent_.pop_front();
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
