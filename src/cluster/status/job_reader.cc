#include "cluster/status/job_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "cluster/kafka/admin.h"
#include "cluster/log/chunks.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(5);  // with a broker that sends nothing
constexpr auto kAnswer = milliseconds(3000);         // until a broker answers

int64_t Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

// Clocks differ: what seems to be in the future is now.
double SecondsSince(int64_t then) {
  return static_cast<double>(std::max<int64_t>(0, Now() - then)) / 1000;
}

// A broker that comes back is noticed soon.
Properties Impatient(Properties properties) {
  properties.insert({"reconnect.backoff.max.ms", "1000"});
  // Only this ends a request for offsets whose broker dies (librdkafka 2.0.2).
  properties.insert({"socket.timeout.ms", "3000"});
  return properties;
}

// The offset of the first message of that time or later; nothing if there is none.
std::optional<int64_t> OffsetAt(const Client& client, const std::string& topic, int64_t time) {
  const OwnedPartitions list = OffsetList(topic, {{0, time}});
  const auto code =
      rd_kafka_offsets_for_times(client.handle(), list.get(), static_cast<int>(kAnswer.count()));
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) throw KafkaError("topic " + topic, code);
  const int64_t offset = list->elems[0].offset;
  return offset < 0 ? std::nullopt : std::optional(offset);
}

// Throws when nothing has come for too long.
class Patience {
 public:
  explicit Patience(std::string topic) : topic_(std::move(topic)) {}
  void Renew() { until_ = Clock::now() + kPatience; }
  void Check() const {
    if (Clock::now() > until_) throw KafkaError("topic " + topic_, RD_KAFKA_RESP_ERR__TIMED_OUT);
  }

 private:
  const std::string topic_;
  Clock::time_point until_ = Clock::now() + kPatience;
};

}  // namespace

JobReader::JobReader(const Job& job, std::stop_token stop)
    : job_(job),
      stop_(std::move(stop)),
      log_(Impatient(job.LogProperties())),
      snapshots_(Impatient(job.ConsumerProperties(""))),
      lag_(job, stop_),
      notes_(job.id) {
  for (Client* client : {&log_, &snapshots_}) client->set_timeout(kAnswer);
}

JobStatus JobReader::Read() {
  ExpectJob();
  JobStatus status{.job = job_.name, .documents = job_.documents, .deltas = job_.deltas_topic()};
  status.partitions = lag_.Look();
  FindSnapshot();
  if (!begun_) BeginNotes();
  const Client::Range log = ReadNotes();
  status.totals = notes_.totals();
  lag_.Count(notes_.totals().offsets, &status.partitions);
  const DeltaNotes::Rate rate = notes_.RateAt(Now(), status.lag() == 0);
  status.workers = Workers(rate);
  status.documents_per_second = rate.documents_per_second;
  status.messages_per_second = rate.messages_per_second;
  if (status.totals.deltas > 0) {
    status.seconds_since = SecondsSince(status.totals.last_milliseconds);
  }
  status.log_begin = log.begin;
  status.log_end = log.end;
  if (snapshot_) {
    status.snapshot = {.bytes = snapshot_->bytes,
                       .deltas = snapshot_->totals.deltas,
                       .delta_bytes = snapshot_->totals.bytes,
                       .seconds_since = SecondsSince(snapshot_->milliseconds)};
  }
  return status;
}

void JobReader::ExpectJob() {
  log_.ExpectBroker(kAnswer);
  if (log_.HasTopic(job_.settings_topic())) return;
  std::this_thread::sleep_for(milliseconds(1000));  // a broker that has just started may not know
  if (log_.HasTopic(job_.settings_topic())) return;
  throw JobIsGone(fmt::format("job {} was deleted", job_.name));
}

std::vector<JobStatus::Worker> JobReader::Workers(const DeltaNotes::Rate& rate) const {
  std::string keeper;
  for (const GroupMember& member : DescribeGroup(log_, job_.keeper_group(), kAnswer)) {
    if (!member.partitions.empty()) keeper = member.client;
  }
  std::vector<JobStatus::Worker> workers;
  for (GroupMember& member : DescribeGroup(log_, job_.group(), kAnswer)) {
    std::sort(member.partitions.begin(), member.partitions.end());
    const auto found = rate.of_worker.find(member.client);
    workers.push_back({.name = member.client,
                       .host = member.host.substr(member.host.starts_with('/') ? 1 : 0),
                       .partitions = std::move(member.partitions),
                       .keeper = member.client == keeper,
                       .documents_per_second = found == rate.of_worker.end() ? 0 : found->second});
  }
  std::sort(workers.begin(), workers.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return workers;
}

// Snapshots are large, and each of their chunks has the note: so only the last chunks are read.
void JobReader::FindSnapshot() {
  const Client::Range range = snapshots_.Offsets(job_.snapshots_topic(), 0);
  if (range.end == snapshots_end_) return;
  for (int64_t back = 4; range.begin < range.end; back *= 8) {
    const int64_t from = std::max(range.begin, range.end - back);
    if (auto found = LastSnapshotFrom(from, range.end)) {
      snapshot_ = std::move(found);
      break;
    }
    if (from == range.begin || stop_.stop_requested()) break;
  }
  snapshots_end_ = range.end;
}

// Nothing if no snapshot ends between the offsets.
std::optional<JobReader::FoundSnapshot> JobReader::LastSnapshotFrom(int64_t offset, int64_t end) {
  const std::string topic = job_.snapshots_topic();
  snapshots_.Assign(topic, 0, offset);
  std::optional<FoundSnapshot> last;
  Patience patience(topic);
  while (offset < end && !stop_.stop_requested()) {
    patience.Check();
    const auto message = snapshots_.Poll(milliseconds(100));
    if (!message) continue;
    if (message->at_end()) offset = std::max(offset, message->offset());
    if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    patience.Renew();
    offset = message->offset() + 1;
    const std::string_view header = message->header(kNoteHeader);
    if (header.empty()) continue;
    try {
      // One keeper writes them in order: if the last one exists, all do.
      const ChunkNote chunk = ParseChunk(header);
      if (chunk.chunk + 1 != chunk.chunks) continue;
      SnapshotNote note = ParseSnapshotHeader(header);
      if (note.job != job_.id) continue;
      LogTotals totals = LogTotals::FromJson(note.totals);
      last = {std::move(note), std::move(totals),
              chunk.chunk * kChunkBytes + message->value().size(), message->milliseconds()};
    } catch (const InputError& e) {
      throw InputError(
          fmt::format("topic {}, offset {}: the snapshot {}", topic, message->offset(), e.what()));
    }
  }
  snapshots_.Unassign();
  return last;
}

void JobReader::BeginNotes() {
  position_ = 0;
  notes_.Begin();
  if (snapshot_) {
    notes_.Begin(snapshot_->note);
    position_ = snapshot_->note.position;
    // The rate is that of the last minute, and may begin before the snapshot.
    constexpr int64_t kMinute = 60'000;
    const auto minute_before =
        OffsetAt(log_, job_.deltas_topic(), snapshot_->totals.last_milliseconds - kMinute);
    if (minute_before) position_ = std::min(position_, *minute_before);
  }
  log_.Assign(job_.deltas_topic(), 0, position_);
  begun_ = true;
}

// All that is committed now.
Client::Range JobReader::ReadNotes() {
  const std::string topic = job_.deltas_topic();
  const Client::Range range = log_.Offsets(topic, 0);
  Patience patience(topic);
  while (position_ < range.end && !stop_.stop_requested()) {
    patience.Check();
    const auto message = log_.Poll(milliseconds(100));
    if (!message) continue;
    if (message->at_end()) position_ = std::max(position_, message->offset());
    if (IsTrimmed(message->error())) {
      FindSnapshot();
      BeginNotes();
    }
    if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    patience.Renew();
    position_ = message->offset() + 1;
    const std::string_view header = message->header(kNoteHeader);
    if (header.empty()) continue;
    try {
      notes_.Add(header, message->value().size(), message->offset(), message->milliseconds());
    } catch (const InputError& e) {
      throw InputError(
          fmt::format("topic {}, offset {}: the delta {}", topic, message->offset(), e.what()));
    }
  }
  return range;
}

}  // namespace sda::cluster
