#include "cluster/status/job_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "cluster/kafka/admin.h"
#include "cluster/log/snapshot_reader.h"
#include "cluster/stored_job.h"

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
Job Impatient(Job job) {
  job.client.insert({"reconnect.backoff.max.ms", "1000"});
  // Only this ends a request for offsets whose broker dies (librdkafka 2.0.2).
  job.client.insert({"socket.timeout.ms", "3000"});
  return job;
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
    : job_(Impatient(job)),
      stop_(std::move(stop)),
      log_(job_.LogProperties()),
      lag_(job_, stop_),
      answers_(job_, kPatience, stop_),
      notes_(LogRules::Of(job_), answers_.questions()) {
  log_.set_timeout(kAnswer);
}

JobStatus JobReader::Read() {
  ExpectJob();
  JobStatus status{.job = job_.name,
                   .documents = job_.documents,
                   .deltas = job_.deltas_topic(),
                   .rejected = job_.rejected_topic()};
  // Says if it may not be seen. Asked for its offsets, librdkafka only waits.
  if (!begun_) DescribeGroup(log_, job_.group(), kAnswer);
  status.partitions = lag_.Look();
  FindSnapshot();
  if (!begun_) BeginNotes();
  const Client::Range log = ReadNotes();
  status.totals = notes_.totals();
  status.set_aside = status.totals.set_aside;
  FindOtherSettings();
  for (const SetAsides* others : {&bad_snapshots_, &other_settings_}) {
    status.not_in_log += others->count;
    for (const SetAside& message : others->last) status.set_aside.last.push_back(message);
  }
  status.set_aside.count += status.not_in_log;
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

// Only if there may be a new one: snapshots are large, and all of each is checked.
void JobReader::FindSnapshot() {
  const int64_t end = log_.EndOffset(job_.snapshots_topic(), 0);
  if (end == snapshots_end_) return;
  SnapshotsRead read = ReadSnapshots(job_, notes_.rules(), answers_.questions(), kPatience, stop_);
  bad_snapshots_ = std::move(read.set_aside);
  snapshot_.reset();
  if (read.newest) {
    snapshot_ = {std::move(read.newest->note), std::move(read.newest->totals),
                 read.newest->body.vocabulary.size(), read.newest->bytes,
                 read.newest->milliseconds};
  }
  snapshots_end_ = end;
}

void JobReader::FindOtherSettings() {
  const int64_t end = log_.EndOffset(job_.settings_topic(), 0);
  if (end == settings_end_) return;
  other_settings_ = {};
  const StoredJob stored = ReadStoredJob(job_, job_.settings_topic(), ReadSettings::kToEnd, stop_);
  for (const SetAside& message : stored.set_aside) other_settings_.Add(message);
  settings_end_ = end;
}

void JobReader::BeginNotes() {
  position_ = 0;
  notes_.Begin();
  if (snapshot_) {
    notes_.Begin(snapshot_->note, snapshot_->totals, snapshot_->words);
    position_ = snapshot_->note.position;
    // The rate is that of the last minute, and may begin before the snapshot.
    constexpr int64_t kMinute = 60'000;
    const auto minute_before = log_.OffsetAt(
        job_.deltas_topic(), 0,
        milliseconds(std::max<int64_t>(1, snapshot_->totals.last_milliseconds - kMinute)));
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
    position_ = message->offset() + 1;
    AddNote(*message);
    patience.Renew();
  }
  return range;
}

void JobReader::AddNote(const Message& message) {
  begun_ = false;  // unless all goes well
  notes_.Add({.header = message.header(kNoteHeader),
              .value = message.value(),
              .offset = message.offset(),
              .milliseconds = message.milliseconds()});
  begun_ = true;
}

}  // namespace sda::cluster
