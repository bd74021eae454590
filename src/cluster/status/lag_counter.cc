#include "cluster/status/lag_counter.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Few documents are read, and only to count them.
Properties CounterProperties(const Job& job) {
  Properties properties = job.ConsumerProperties(job.group());
  properties.insert({"reconnect.backoff.max.ms", "1000"});
  properties.insert({"socket.timeout.ms", "3000"});  // as in job_reader.cc
  properties.insert({"queued.min.messages", "100"});
  properties.insert({"queued.max.messages.kbytes", "1024"});
  properties.insert({"fetch.message.max.bytes", "131072"});
  return properties;
}

bool IsAtSamePlace(const JobStatus::Partition& a, const JobStatus::Partition& b) {
  return a.next == b.next && a.end == b.end;
}

}  // namespace

LagCounter::LagCounter(const Job& job, std::stop_token stop)
    : job_(job), stop_(std::move(stop)), consumer_(CounterProperties(job)) {
  consumer_.set_timeout(milliseconds(3000));
}

std::vector<JobStatus::Partition> LagCounter::Look() const {
  const int count = consumer_.Partitions(job_.documents);
  const std::vector<int64_t> committed = consumer_.Committed(job_.documents, count);
  std::vector<JobStatus::Partition> partitions(count);
  for (int p = 0; p < count; ++p) {
    const Client::Range range = consumer_.Offsets(job_.documents, p);
    partitions[p].begin = range.begin;
    partitions[p].end = range.end;
    partitions[p].next = committed[p];
  }
  return partitions;
}

void LagCounter::Count(const std::map<int32_t, int64_t>& folded,
                       std::vector<JobStatus::Partition>* partitions) {
  constexpr int64_t kLittle = 1000;
  const bool first = last_.empty();
  std::map<int32_t, int64_t> to_read;
  for (size_t p = 0; p < partitions->size(); ++p) {
    JobStatus::Partition& partition = (*partitions)[p];
    const auto number = static_cast<int32_t>(p);
    const auto known = folded.find(number);
    if (partition.next < 0 && known != folded.end()) partition.next = known->second;
    partition.next = std::max(partition.next, partition.begin);
    partition.end = std::max(partition.end, partition.next);
    const int64_t gap = partition.end - partition.next;
    partition.lag = static_cast<uint64_t>(gap);
    partition.exact = gap == 0;
    const auto last = last_.find(number);
    const bool moved = last == last_.end() || !IsAtSamePlace(last->second.partition, partition);
    bool by_reading = gap == 0;
    if (!moved && last->second.by_reading) {
      partition = last->second.partition;
      by_reading = true;
    } else if (gap > 0 && (first || gap <= kLittle || !moved)) {
      to_read[number] = partition.next;
    }
    last_[number] = {partition, by_reading};
  }
  if (to_read.empty()) return;
  const bool by_reading = Read(to_read, partitions);
  for (const auto& [number, offset] : to_read) {
    last_[number] = {(*partitions)[number], by_reading};
  }
}

// Counts the first documents after these offsets; if there are more, their offsets. False if not
// all could be counted in time.
bool LagCounter::Read(const std::map<int32_t, int64_t>& from,
                      std::vector<JobStatus::Partition>* partitions) {
  constexpr uint64_t kAll = 20'000;  // documents
  constexpr auto kAtMost = std::chrono::seconds(5);
  const uint64_t most = std::max<uint64_t>(100, kAll / from.size());
  consumer_.Assign(job_.documents, from);
  std::map<int32_t, uint64_t> open;  // documents so far
  for (const auto& [partition, offset] : from) open[partition] = 0;
  const auto give_up = Clock::now() + kAtMost;
  while (!open.empty() && Clock::now() < give_up && !stop_.stop_requested()) {
    const auto message = consumer_.Poll(milliseconds(100));
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
  consumer_.Unassign();
  return open.empty();
}

}  // namespace sda::cluster
