#include "cluster/delta_notes.h"

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

DeltaNotes::Rate DeltaNotes::RateAt(int64_t milliseconds) const {
  Rate rate;
  if (recent_.empty()) return rate;
  const double last = static_cast<double>(recent_.back().milliseconds);
  const double silence = std::max<double>(kMinute, 2000 * recent_.back().seconds);
  if (static_cast<double>(milliseconds) - last > silence) return rate;

  // A delta was made from when its computing began until it was written. What of that is in the
  // minute counts; a job that is younger than a minute has had less than that.
  double begin = last;
  auto start = [](const Recent& delta) {
    constexpr double kLeast = 1;  // millisecond
    return static_cast<double>(delta.milliseconds) - std::max(kLeast, 1000 * delta.seconds);
  };
  for (const Recent& delta : recent_) begin = std::min(begin, start(delta));
  begin = std::max(begin, last - kMinute);
  const double seconds = (last - begin) / 1000;
  for (const Recent& delta : recent_) {
    const double end = static_cast<double>(delta.milliseconds);
    const double share =
        std::clamp((end - begin) / (end - start(delta)), 0.0, 1.0);  // that is in the minute
    const double documents = share * static_cast<double>(delta.documents) / seconds;
    rate.documents_per_second += documents;
    rate.messages_per_second += share * static_cast<double>(delta.messages) / seconds;
    rate.of_worker[delta.worker] += documents;
  }
  return rate;
}

}  // namespace sda::cluster
