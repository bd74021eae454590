#include "cluster/worker/keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cluster/kafka/admin.h"
#include "cluster/kafka/fault_point.h"
#include "cluster/log/chunks.h"
#include "cluster/log/note.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;

constexpr uint64_t kLeastBytes = 64 << 20;  // of log, before a snapshot pays
constexpr uint64_t kChunksPerTransaction = 32;

}  // namespace

Keeper::Keeper(const Job& job, uint64_t every, const LogView* view, Context context)
    : job_(job), every_(every), view_(*view), context_(std::move(context)) {
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
        if (!is_keeper_ || !IsDue()) continue;
        if (!producer) {
          producer = NewProducer(stop);
        }
        Write(producer.get(), stop);
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
  newest_ = NewestSnapshot(job_, stop).value_or(0);
  trim_to_ = trim_snapshots_to_ = 0;  // the snapshots so far are another's
  return producer;
}

void Keeper::Write(Producer* producer, const std::stop_token& stop) {
  view_.ExpectReadable();
  // A keeper that was stopped for long may have an old view, and the log may be trimmed beyond it.
  if (view_.position() < newest_) return;
  const LogView::Copy copy = view_.CopyAll();
  if (copy.note.position < newest_) return;
  const std::string body = PackSnapshot(copy.posterior, copy.vocabulary);
  const uint64_t chunks = ChunksOf(body);
  const int64_t begin = producer->Offsets(job_.snapshots_topic(), 0).end;
  for (uint64_t chunk = 0; chunk < chunks;) {
    producer->Begin();
    for (uint64_t i = 0; i < kChunksPerTransaction && chunk < chunks; ++i, ++chunk) {
      producer->Produce(job_.snapshots_topic(), 0, copy.note.id, Chunk(body, chunk), kNoteHeader,
                        ToHeader(copy.note, chunk, chunks));
    }
    FaultPoint("snapshot-produced");
    producer->Commit();
  }
  FaultPoint("snapshot-committed");
  last_ = copy.totals;
  snapshot_bytes_ = body.size();
  ++snapshots_;
  try {
    Trim(*producer, stop);
  } catch (const KafkaError& e) {
    context_.Log(fmt::format("cannot trim the log: {}", e.what()));
  }
  newest_ = trim_to_ = copy.note.position;
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
