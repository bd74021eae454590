#include "cluster/log/log_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "cluster/log/snapshot_reader.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::minutes(2);       // with a broker that does not answer
constexpr auto kForEver = std::chrono::hours(24 * 3650);  // brokers that are away come back
constexpr uint64_t kMostLogged = 20;                      // lines

LogRules RulesOf(const Job& job, const KeyedRows& prior) {
  LogRules rules = LogRules::Of(job);
  rules.prior = prior;
  return rules;
}

}  // namespace

LogView::LogView(const Job& job, KeyedRows prior, Context context, OnSetAside report)
    : job_(job),
      prior_(std::move(prior)),
      context_(std::move(context)),
      report_(std::move(report)),
      consumer_(job.LogProperties()),
      answers_(job, kForEver, context_.token()),
      log_(RulesOf(job, prior_), answers_.questions(),
           [this](const SetAside& message, std::string_view id) { Decided(message, id); }),
      posterior_(prior_) {
  LoadSnapshot();
}

void LogView::LoadSnapshot() {
  SnapshotsRead read =
      ReadSnapshots(job_, log_.rules(), answers_.questions(), kPatience, context_.token());
  for (const SetAside& message : read.set_aside.last) {
    if (message.offset >= snapshots_reported_to_) Report(message);
    snapshots_reported_to_ = std::max(snapshots_reported_to_, message.offset + 1);
  }
  auto& stored = read.newest;
  if (stored) {
    log_.Begin(stored->note, stored->totals, stored->body.vocabulary.size());
  } else {
    log_.Begin();
  }
  at_end_ = false;
  consumer_.Assign(job_.deltas_topic(), 0, log_.position());
  std::unique_lock lock(mutex_);
  posterior_ = stored ? std::move(stored->body.posterior) : prior_;
  vocabulary_ = stored ? std::move(stored->body.vocabulary) : std::vector<std::string>();
  loaded_ = log_.totals();
  bad_snapshots_ = read.set_aside.count;
  ++loads_;
  watched_.clear();
  Show();
}

// What others see of the log. The lock is held.
void LogView::Show() {
  totals_ = log_.totals();
  position_ = log_.position();
  log_.Describe(&place_);
  news_.notify_all();
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
    log_.PassTo(end_);
    std::unique_lock lock(mutex_);
    Show();
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
  try {
    ExpectSameJob(job_);
    LoadSnapshot();
  } catch (const KafkaError&) {
    if (context_.StopRequested()) throw;
    std::this_thread::sleep_for(milliseconds(100));
    return;  // retried
  }
  reload_ = false;
}

void LogView::Fold(const Message& message) {
  at_end_ = false;
  auto delta = log_.Add({.header = message.header(kNoteHeader),
                         .value = message.value(),
                         .offset = message.offset(),
                         .milliseconds = message.milliseconds()});
  reported_to_ = std::max(reported_to_, log_.position());
  std::unique_lock lock(mutex_);
  if (delta) {
    if (delta->note.discount != 1) {
      DiscountTowards(prior_, delta->note.discount, &posterior_, context_.pool());
    }
    posterior_.Add(delta->change, context_.pool());
    if (!delta->vocabulary.empty()) vocabulary_ = std::move(delta->vocabulary);
    if (delta->note.id == watched_) watched_.clear();
  }
  Show();
}

// A message of the log was set aside. After a snapshot it may be read again, but is reported once.
void LogView::Decided(const SetAside& message, std::string_view id) {
  if (log_.position() > reported_to_) Report(message);
  std::unique_lock lock(mutex_);
  if (id == watched_) watched_.clear();
}

void LogView::Report(const SetAside& message) {
  if (++reported_ <= kMostLogged) {
    context_.Log(fmt::format("{}; set aside{}", Describe(message),
                             reported_ == kMostLogged ? ", and so may be others" : ""));
  }
  if (report_) report_(message);
}

void LogView::CatchUp() {
  auto give_up = Clock::now() + kPatience;
  const int64_t end = consumer_.EndOffset(job_.deltas_topic(), 0);
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

uint64_t LogView::words() const {
  std::shared_lock lock(mutex_);
  return vocabulary_.size();
}

uint64_t LogView::set_aside() const {
  std::shared_lock lock(mutex_);
  return totals_.set_aside.count + bad_snapshots_;
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
  Copy copy{place_, posterior_, vocabulary_, totals_};
  copy.note.job = job_.id;
  copy.note.id = RandomId();
  copy.note.totals = totals_.ToJson();
  return copy;
}

}  // namespace sda::cluster
