#include "cluster/job_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "cluster/admin.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(10);  // with a broker that sends nothing
constexpr auto kAnswer = milliseconds(3000);          // until a broker answers

int64_t Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

// Clocks differ: what seems to be in the future is now.
double SecondsSince(int64_t then) {
  return static_cast<double>(std::max<int64_t>(0, Now() - then)) / 1000;
}

Properties LogProperties(const Job& job) {
  Properties properties = job.ConsumerProperties("");
  // A place that is no longer there must be known: the log was trimmed.
  properties["auto.offset.reset"] = "error";
  return properties;
}

// Few documents are read, and only to count them.
Properties DocumentsProperties(const Job& job) {
  Properties properties = job.ConsumerProperties(job.group());
  properties.insert({"queued.min.messages", "100"});
  properties.insert({"queued.max.messages.kbytes", "1024"});
  properties.insert({"fetch.message.max.bytes", "131072"});
  return properties;
}

bool IsTrimmed(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET ||
         code == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE;
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

JobReader::JobReader(const Job& job, const std::atomic<bool>* stop)
    : job_(job),
      stop_(stop),
      log_(LogProperties(job)),
      snapshots_(job.ConsumerProperties("")),
      documents_(DocumentsProperties(job)),
      notes_(job.id) {}

JobStatus JobReader::Read() {
  ExpectJob();
  JobStatus status{.job = job_.name, .documents = job_.documents, .deltas = job_.deltas_topic()};
  status.partitions = Partitions();
  FindSnapshot();
  if (!begun_) BeginNotes();
  const Client::Range log = ReadNotes();
  status.totals = notes_.totals();
  const DeltaNotes::Rate rate = notes_.RateAt(Now());
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
  FillLag(&status.partitions);
  return status;
}

void JobReader::ExpectJob() {
  documents_.ExpectBroker(kAnswer);
  if (documents_.HasTopic(job_.settings_topic())) return;
  std::this_thread::sleep_for(milliseconds(1000));  // a broker that has just started may not know
  if (documents_.HasTopic(job_.settings_topic())) return;
  throw JobIsGone(fmt::format("job {} was deleted", job_.name));
}

std::vector<JobStatus::Worker> JobReader::Workers(const DeltaNotes::Rate& rate) const {
  std::string keeper;
  for (const GroupMember& member : DescribeGroup(documents_, job_.keeper_group(), kAnswer)) {
    if (!member.partitions.empty()) keeper = member.client;
  }
  std::vector<JobStatus::Worker> workers;
  for (GroupMember& member : DescribeGroup(documents_, job_.group(), kAnswer)) {
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
    if (from == range.begin || stop_->load()) break;
  }
  snapshots_end_ = range.end;
}

// Nothing if no snapshot ends between the offsets.
std::optional<JobReader::FoundSnapshot> JobReader::LastSnapshotFrom(int64_t offset, int64_t end) {
  const std::string topic = job_.snapshots_topic();
  snapshots_.Assign(topic, 0, offset);
  std::optional<FoundSnapshot> last;
  Patience patience(topic);
  while (offset < end && !stop_->load()) {
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
      // One writes them, from the first to the last: where the last is, all are.
      const ChunkNote chunk = ParseChunk(header);
      if (chunk.chunk + 1 != chunk.chunks) continue;
      SnapshotNote note = ParseSnapshotHeader(header);
      if (note.job != job_.id) continue;
      LogTotals totals = LogTotals::FromJson(note.totals);
      last = {std::move(note), std::move(totals),
              chunk.chunk * kChunkBytes + message->value().size(), message->milliseconds()};
    } catch (const std::invalid_argument& e) {
      throw std::runtime_error(
          fmt::format("topic {}, offset {}: the snapshot {}", topic, message->offset(), e.what()));
    }
  }
  rd_kafka_assign(snapshots_.handle(), nullptr);
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
  while (position_ < range.end && !stop_->load()) {
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
    } catch (const std::invalid_argument& e) {
      throw std::runtime_error(
          fmt::format("topic {}, offset {}: the delta {}", topic, message->offset(), e.what()));
    }
  }
  return range;
}

std::vector<JobStatus::Partition> JobReader::Partitions() const {
  std::vector<JobStatus::Partition> partitions(documents_.Partitions(job_.documents));
  for (size_t p = 0; p < partitions.size(); ++p) {
    const Client::Range range = documents_.Offsets(job_.documents, static_cast<int32_t>(p));
    partitions[p].begin = range.begin;
    partitions[p].end = range.end;
  }
  return partitions;
}

// Between what was read and the end there are documents, but also marks of transactions, and
// documents that were taken back. Where there is little left, or nothing moves, the documents are
// counted; else the offsets are, which is cheap.
void JobReader::FillLag(std::vector<JobStatus::Partition>* partitions) {
  constexpr int64_t kLittle = 1000;
  const auto committed = documents_.Committed(job_.documents, static_cast<int>(partitions->size()));
  const bool first = counts_.empty();
  std::map<int32_t, int64_t> to_count;
  for (size_t p = 0; p < partitions->size(); ++p) {
    JobStatus::Partition& partition = (*partitions)[p];
    const auto number = static_cast<int32_t>(p);
    // Kafka forgets a group some days after its last member has left; the log does not.
    const auto folded = notes_.totals().offsets.find(number);
    partition.next = committed[p];
    if (committed[p] < 0 && folded != notes_.totals().offsets.end()) {
      partition.next = folded->second;
    }
    partition.next = std::max(partition.next, partition.begin);
    partition.end = std::max(partition.end, partition.next);
    const int64_t gap = partition.end - partition.next;
    partition.lag = static_cast<uint64_t>(gap);
    partition.exact = gap == 0;
    const auto before = counts_.find(number);
    const bool moved = before == counts_.end() || before->second.next != partition.next ||
                       before->second.end != partition.end;
    if (!moved && before->second.counted) {
      partition.lag = before->second.lag;
      partition.exact = before->second.exact;
    } else if (gap > 0 && (first || gap <= kLittle || !moved)) {
      to_count[number] = partition.next;
    }
  }
  if (!to_count.empty()) CountDocuments(to_count, partitions);
  for (size_t p = 0; p < partitions->size(); ++p) {
    const JobStatus::Partition& partition = (*partitions)[p];
    const auto number = static_cast<int32_t>(p);
    const auto before = counts_.find(number);
    const bool counted =
        to_count.count(number) > 0 ||
        (before != counts_.end() && before->second.counted &&
         before->second.next == partition.next && before->second.end == partition.end);
    counts_[number] = {partition.next, partition.end, partition.lag, partition.exact, counted};
  }
}

// Counts the first documents behind these offsets; if there are more, their offsets.
void JobReader::CountDocuments(const std::map<int32_t, int64_t>& from,
                               std::vector<JobStatus::Partition>* partitions) {
  constexpr uint64_t kAll = 20'000;  // of all partitions
  constexpr auto kAtMost = std::chrono::seconds(5);
  rd_kafka_assign(documents_.handle(), OffsetList(job_.documents, from).get());
  std::map<int32_t, uint64_t> open;  // documents so far
  for (const auto& [partition, offset] : from) open[partition] = 0;
  const uint64_t most = std::max<uint64_t>(100, kAll / from.size());
  const auto give_up = Clock::now() + kAtMost;
  while (!open.empty() && Clock::now() < give_up && !stop_->load()) {
    const auto message = documents_.Poll(milliseconds(100));
    if (!message) continue;
    const auto counted = open.find(message->partition());
    if (counted == open.end()) continue;
    JobStatus::Partition& partition = (*partitions)[message->partition()];
    const bool is_document = message->error() == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (!is_document && !message->at_end()) continue;
    const bool behind = message->offset() >= partition.end;
    if (is_document && !behind) ++counted->second;
    if (message->at_end() || behind) {
      partition.lag = counted->second;
      partition.exact = true;
    } else if (counted->second < most) {
      continue;
    } else {
      partition.lag =
          counted->second + static_cast<uint64_t>(partition.end - message->offset() - 1);
    }
    open.erase(counted);
  }
  rd_kafka_assign(documents_.handle(), nullptr);
}

}  // namespace sda::cluster
