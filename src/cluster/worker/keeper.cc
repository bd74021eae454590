#include "cluster/worker/keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "cluster/kafka/admin.h"
#include "cluster/log/dead_letter.h"
#include "cluster/log/snapshot_reader.h"
#include "cluster/log/snapshot_writer.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;

constexpr uint64_t kLeastBytes = 64 << 20;  // of log, before a snapshot pays

}  // namespace

Keeper::Keeper(const Job& job, std::string worker, uint64_t every, const LogView* view,
               DeadLetterBox* letters, Context context)
    : job_(job),
      worker_(std::move(worker)),
      every_(every),
      view_(*view),
      letters_(*letters),
      context_(std::move(context)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

Keeper::~Keeper() = default;

void Keeper::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      Properties properties = job_.ConsumerProperties(job_.keeper_group());
      properties.insert({"session.timeout.ms", "10000"});
      properties.insert({"heartbeat.interval.ms", "1000"});
      std::unique_ptr<Producer> producer;  // outlives the consumer, which gives it up
      Consumer consumer(std::move(properties));
      consumer.Subscribe(job_.snapshots_topic(), {[&](const std::vector<int32_t>& partitions) {
                                                    if (!partitions.empty()) is_keeper_ = true;
                                                    return std::map<int32_t, int64_t>{};
                                                  },
                                                  [&](const std::vector<int32_t>&, bool) {
                                                    is_keeper_ = false;
                                                    producer.reset();
                                                  }});
      bool paused = false;
      while (!stop.stop_requested()) {
        consumer.PollGroup(milliseconds(200));
        if (is_keeper_ && !paused) consumer.Pause(job_.snapshots_topic(), {0});  // not to be read
        paused = is_keeper_;
        if (!is_keeper_ || (!IsDue() && letters_.empty())) continue;
        if (!producer) {
          producer = NewProducer(stop);
        }
        WriteLetters(producer.get());
        if (IsDue()) Write(producer.get(), stop);
      }
      if (is_keeper_ && !letters_.empty()) {
        if (!producer) producer = NewProducer(stop);
        WriteLetters(producer.get());
      }
    } catch (const std::exception& e) {
      is_keeper_ = false;
      if (!stop.stop_requested())
        context_.Log(fmt::format("no snapshot: {}; it is tried again", e.what()));
      for (int i = 0; i < 20 && !stop.stop_requested(); ++i) {
        std::this_thread::sleep_for(milliseconds(100));
      }
    }
  }
  is_keeper_ = false;
}

// A note that cannot be written is given up: it must not keep snapshots from being written.
void Keeper::WriteLetters(Producer* producer) {
  const std::vector<SetAside> messages = letters_.TakeAll();
  if (messages.empty()) return;
  try {
    producer->Begin();
    for (const SetAside& message : messages) WriteDeadLetter(job_, {message, worker_}, producer);
    producer->Commit();
  } catch (const KafkaError& e) {
    producer->Abort();
    context_.Log(fmt::format("cannot note what was set aside in topic {}: {}",
                             job_.rejected_topic(), e.what()));
  }
}

bool Keeper::IsDue() {
  const LogTotals totals = view_.totals();
  if (!last_) last_ = view_.loaded();
  const uint64_t deltas = totals.deltas - std::min(totals.deltas, last_->deltas);
  if (every_ > 0) return deltas >= every_;
  const uint64_t bytes = totals.bytes - std::min(totals.bytes, last_->bytes);
  return bytes >= std::max(kLeastBytes, 2 * snapshot_bytes_);
}

// From here on no other keeper can write, and this one knows what they have written.
std::unique_ptr<Producer> Keeper::NewProducer(const std::stop_token& stop) {
  auto producer = std::make_unique<Producer>(job_.ProducerProperties("keeper"), stop);
  newest_ = NewestSnapshot(stop);
  trim_to_ = trim_snapshots_to_ = 0;  // the snapshots so far are another's
  return producer;
}

// Its position in the log. What is no snapshot is noted before it may be deleted.
int64_t Keeper::NewestSnapshot(const std::stop_token& stop) {
  const SnapshotsRead read = ReadSnapshots(job_, stop);
  for (const SetAside& message : read.set_aside.last) {
    if (message.offset < noted_snapshots_to_) continue;
    letters_.Add(message);
    noted_snapshots_to_ = message.offset + 1;
  }
  return read.newest ? read.newest->note.position : 0;
}

void Keeper::Write(Producer* producer, const std::stop_token& stop) {
  view_.ExpectReadable();
  // A keeper that was stopped for long may have an old view, and the log may be trimmed beyond it.
  if (view_.position() < newest_) return;
  LogView::Copy copy = view_.CopyAll();
  if (copy.note.position < newest_) return;
  const LogTotals totals = copy.totals;
  const int64_t position = copy.note.position;
  const int64_t begin = producer->EndOffset(job_.snapshots_topic(), 0);
  snapshot_bytes_ = WriteSnapshot(job_, view_.rules(), std::move(copy), producer);
  last_ = totals;
  ++snapshots_;
  try {
    // What was written must be what others read, before anything that it replaces is deleted.
    if (NewestSnapshot(stop) >= position) Trim(*producer, stop);
  } catch (const KafkaError& e) {
    context_.Log(fmt::format("cannot trim the log: {}", e.what()));
  }
  newest_ = trim_to_ = position;
  trim_snapshots_to_ = begin;
}

// Nothing before the last but one snapshot is needed any more.
void Keeper::Trim(const Producer& producer, const std::stop_token& stop) const {
  if (trim_to_ == 0) return;
  // The topics of another job of this name must not be trimmed by this one.
  ExpectSameJob(job_, stop);
  DeleteRecordsBefore(producer, job_.deltas_topic(), 0, trim_to_);
  DeleteRecordsBefore(producer, job_.snapshots_topic(), 0, trim_snapshots_to_);
}

}  // namespace sda::cluster
