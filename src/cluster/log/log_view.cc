#include "cluster/log/log_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "sda/errors.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::minutes(2);  // with a broker that does not answer

struct StoredSnapshot {
  SnapshotNote note;
  std::string body;
};

// The complete snapshot with the highest position.
std::optional<StoredSnapshot> ReadLastSnapshot(const Job& job, const std::stop_token& stop) {
  Consumer consumer(job.LookProperties());
  consumer.Assign(job.snapshots_topic(), 0, kFromBeginning);
  Assembler assembler;
  std::optional<StoredSnapshot> last;
  auto error = RD_KAFKA_RESP_ERR__TIMED_OUT;
  auto give_up = Clock::now() + kPatience;
  while (Clock::now() < give_up && !stop.stop_requested()) {
    const auto message = consumer.Poll(milliseconds(100));
    if (!message || IsTransient(message->error())) continue;
    if (message->at_end()) return last;
    if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) {
      error = message->error();
      if (consumer.IsGone(job.snapshots_topic())) break;
      continue;
    }
    give_up = Clock::now() + kPatience;
    const std::string_view header = message->header(kNoteHeader);
    if (header.empty()) continue;
    try {
      auto whole = assembler.Add(header, message->value(), message->offset());
      if (!whole) continue;
      SnapshotNote note = ParseSnapshotHeader(whole->header);
      if (note.job != job.id) continue;
      if (!last || note.position >= last->note.position) {
        last = {std::move(note), std::move(whole->body)};
      }
    } catch (const InputError& e) {
      throw InputError(fmt::format("topic {}, offset {}: the snapshot {}", job.snapshots_topic(),
                                   message->offset(), e.what()));
    }
  }
  throw KafkaError("topic " + job.snapshots_topic() + " cannot be read to its end", error);
}

}  // namespace

std::optional<int64_t> NewestSnapshot(const Job& job, const std::stop_token& stop) {
  const auto stored = ReadLastSnapshot(job, stop);
  return stored ? std::optional(stored->note.position) : std::nullopt;
}

LogView::LogView(const Job& job, KeyedRows prior, Context context)
    : job_(job),
      prior_(std::move(prior)),
      context_(std::move(context)),
      consumer_(job.LogProperties()),
      posterior_(prior_) {
  LoadSnapshot();
}

void LogView::LoadSnapshot() {
  auto stored = ReadLastSnapshot(job_, context_.token());
  SnapshotBody body{{}, prior_};
  LogTotals totals;
  int64_t position = 0;
  if (stored) {
    try {
      body = UnpackSnapshot(stored->body, prior_.width());
      totals = LogTotals::FromJson(stored->note.totals);
    } catch (const InputError& e) {
      throw InputError(fmt::format("snapshot {} in topic {} {}", stored->note.id,
                                   job_.snapshots_topic(), e.what()));
    }
    position = stored->note.position;
  }
  assembler_.Clear();
  at_end_ = false;
  consumer_.Assign(job_.deltas_topic(), 0, position);
  std::unique_lock lock(mutex_);
  posterior_ = std::move(body.posterior);
  vocabulary_ = std::move(body.vocabulary);
  totals_ = loaded_ = totals;
  news_.notify_all();
  ++loads_;
  position_ = resume_ = position;
  beyond_.clear();
  watched_.clear();
  if (stored) beyond_.assign(stored->note.beyond.begin(), stored->note.beyond.end());
}

void LogView::Poll(milliseconds timeout) try { PollLog(timeout); } catch (...) {
  std::unique_lock lock(mutex_);
  failure_ = std::current_exception();
  throw;
}

void LogView::ExpectReadable() const {
  std::shared_lock lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

void LogView::PollLog(milliseconds timeout) {
  if (reload_) return LoadNewerSnapshot();
  const auto message = consumer_.Poll(timeout);
  if (!message || IsTransient(message->error())) return;
  if (message->at_end()) {
    at_end_ = true;
    end_ = message->offset();
    std::unique_lock lock(mutex_);
    position_ = std::max(position_, end_);
    resume_ = assembler_.FirstPending(position_);
    ForgetPassed();
    return;
  }
  if (IsTrimmed(message->error())) return LoadNewerSnapshot();
  if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) {
    if (!consumer_.IsGone(job_.deltas_topic())) return;  // the client retries
    throw KafkaError("topic " + job_.deltas_topic(), message->error());
  }
  Fold(*message);
}

// The offset where it read does not exist any more: the log was trimmed up to a newer snapshot.
void LogView::LoadNewerSnapshot() {
  reload_ = true;
  const int64_t before = position();
  Client::Range kept{};
  try {
    ExpectSameJob(job_);
    LoadSnapshot();
    kept = consumer_.Offsets(job_.deltas_topic(), 0);
  } catch (const KafkaError&) {
    if (context_.StopRequested()) throw;
    std::this_thread::sleep_for(milliseconds(100));
    return;  // retried
  }
  reload_ = false;
  const int64_t now = position();
  if (now > before || (now >= kept.begin && now <= kept.end)) return;
  throw InputError(
      fmt::format("topic {} holds the offsets from {} to {}, the newest snapshot continues from "
                  "{}: the deltas between were deleted, but not by sda",
                  job_.deltas_topic(), kept.begin, kept.end, now));
}

void LogView::Fold(const Message& message) {
  at_end_ = false;
  std::optional<Assembler::Whole> whole;
  const std::string_view header = message.header(kNoteHeader);
  try {
    if (!header.empty() && !IsFolded(ParseChunk(header).id)) {
      whole = assembler_.Add(header, message.value(), message.offset());
    }
    if (whole) FoldWhole(std::move(*whole), message.offset(), message.milliseconds());
  } catch (const InputError& e) {
    throw InputError(fmt::format("topic {}, offset {}: the delta {}", job_.deltas_topic(),
                                 message.offset(), e.what()));
  }
  std::unique_lock lock(mutex_);
  position_ = message.offset() + 1;
  resume_ = assembler_.FirstPending(position_);
  ForgetPassed();
}

void LogView::FoldWhole(Assembler::Whole whole, int64_t last_offset, int64_t milliseconds) {
  const DeltaNote note = ParseDeltaHeader(whole.header);
  if (note.job != job_.id) return;  // of a job of this name that was deleted
  DeltaBody delta = UnpackDelta(whole.body, prior_.width());
  std::unique_lock lock(mutex_);
  if (note.discount != 1) {
    DiscountTowards(prior_, note.discount, &posterior_, context_.pool());
  }
  posterior_.Add(delta.change, context_.pool());
  totals_.Add(note, whole.body.size(), milliseconds);
  if (!delta.vocabulary.empty() && vocabulary_.empty()) vocabulary_ = std::move(delta.vocabulary);
  beyond_.emplace_back(note.id, last_offset);
  if (note.id == watched_) watched_.clear();
  news_.notify_all();
}

bool LogView::IsFolded(const std::string& id) const {
  return std::any_of(beyond_.begin(), beyond_.end(),
                     [&](auto& folded) { return folded.first == id; });
}

void LogView::ForgetPassed() {
  while (!beyond_.empty() && beyond_.front().second < resume_) beyond_.pop_front();
}

void LogView::CatchUp() {
  auto give_up = Clock::now() + kPatience;
  const int64_t end = consumer_.Offsets(job_.deltas_topic(), 0).end;
  int64_t before = position();
  while (true) {
    Poll(milliseconds(100));
    const int64_t now = position();
    // A transaction that is still open may keep the end from being read: then only what is
    // committed.
    if (now >= end || at_end_) return;
    if (now != before) give_up = Clock::now() + kPatience;
    before = now;
    if (Clock::now() > give_up) {
      throw KafkaError("topic " + job_.deltas_topic(), RD_KAFKA_RESP_ERR__TIMED_OUT);
    }
  }
}

uint64_t LogView::Read(const KeyedRows::Selection& selection, KeyedRows* out) const {
  std::shared_lock lock(mutex_);
  posterior_.CopyTo(selection, out, context_.pool());
  return totals_.deltas;
}

LogTotals LogView::totals() const {
  std::shared_lock lock(mutex_);
  return totals_;
}

LogTotals LogView::loaded() const {
  std::shared_lock lock(mutex_);
  return loaded_;
}

std::vector<std::string> LogView::vocabulary() const {
  std::shared_lock lock(mutex_);
  return vocabulary_;
}

uint64_t LogView::loads() const {
  std::shared_lock lock(mutex_);
  return loads_;
}

int64_t LogView::position() const {
  std::shared_lock lock(mutex_);
  return position_;
}

void LogView::Watch(const std::string& id) {
  std::unique_lock lock(mutex_);
  watched_ = id;
}

bool LogView::WaitForWatched(milliseconds timeout) const {
  std::shared_lock lock(mutex_);
  return news_.wait_for(lock, timeout, [&] { return watched_.empty(); });
}

LogView::Copy LogView::CopyAll() const {
  std::shared_lock lock(mutex_);
  Copy copy{{.job = job_.id,
             .id = RandomId(),
             .position = resume_,
             .beyond = {},
             .totals = totals_.ToJson()},
            posterior_,
            vocabulary_,
            totals_};
  copy.note.beyond.assign(beyond_.begin(), beyond_.end());
  return copy;
}

}  // namespace sda::cluster
