#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cluster/kafka/explain.h"
#include "cluster/worker/member.h"
#include "sda/errors.h"

namespace sda::cluster {
using std::chrono::milliseconds;

// The offsets after what was read, by the group and by the log, of those partitions where either
// knows. Kafka forgets the group's some days after its last member left. And it may never return
// them: a transaction that ends while the broker starts can leave offsets uncertain for ever (seen
// with Kafka 4.3). The log alone is enough once every transaction is over that was begun before.
Member::Offsets Member::FindRead(const std::vector<int32_t>& partitions) {
  const int32_t last = *std::max_element(partitions.begin(), partitions.end());
  std::vector<int64_t> committed(last + 1, -1);
  bool known = true;
  try {
    committed = consumer_->Committed(job_.documents, last + 1);
  } catch (const KafkaError& e) {
    if (e.code() != RD_KAFKA_RESP_ERR__TIMED_OUT) throw;
    known = false;
  }
  const Offsets folded = folded_offsets_(!known);
  Offsets read;
  for (const int32_t partition : partitions) {
    const auto in_log = folded.find(partition);
    const int64_t next =
        std::max(committed[partition], in_log == folded.end() ? int64_t{-1} : in_log->second);
    if (next >= 0) read[partition] = next;
  }
  return read;
}

// Throws KafkaError if no broker answers.
Member::Beginning Member::FindBeginning(const std::vector<int32_t>& partitions) {
  Beginning found;
  if (partitions.empty()) return found;
  const Offsets read = FindRead(partitions);
  for (const int32_t partition : partitions) {
    const auto next = read.find(partition);
    auto [kept_from, end] = client_->Offsets(job_.documents, partition);
    // A broker that has just started may not know all of it yet.
    for (int i = 0; i < 10 && next != read.end() && next->second > end && !Stopping(); ++i) {
      std::this_thread::sleep_for(milliseconds(500));
      end = client_->EndOffset(job_.documents, partition);
    }
    if (next != read.end() && next->second > end) {
      throw InputError(fmt::format(
          "topic {}, partition {}, ends at offset {}, though the job has read up to {}: was it "
          "deleted and created again? Create a new job for it",
          job_.documents, partition, end, next->second));
    }
    found.offsets[partition] = next == read.end() ? kept_from : std::max(next->second, kept_from);
    if (next != read.end() && kept_from > next->second) found.expired += kept_from - next->second;
  }
  return found;
}

// Until a stop, whenever partitions have come. A job that was deleted and made again has the same
// topics. On a thread of its own, since it takes a while.
void Member::CheckJob(const std::stop_token& stop) {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      unchecked_.wait(lock, stop, [&] { return job_is_unchecked_; });
      job_is_unchecked_ = false;
    }
    while (!stop.stop_requested() && !IsSameJob(stop)) std::this_thread::sleep_for(kTick);
    if (stop.stop_requested()) return;
  }
}

// False if no broker answers.
bool Member::IsSameJob(const std::stop_token& stop) {
  try {
    ExpectSameJob(job_, stop);
    return true;
  } catch (const KafkaError& e) {
    if (!IsHopeless(e.code())) return false;
    Fail(std::current_exception());
  } catch (...) {
    Fail(std::current_exception());
  }
  return true;
}

// Called by the client, in the middle of a poll: starts no thread, and its exceptions are thrown by
// the poll.
std::map<int32_t, int64_t> Member::Assigned(const std::vector<int32_t>& partitions) {
  {
    // The current documents can be committed while the start offsets of these are looked up.
    std::lock_guard lock(mutex_);
    if (!partitions.empty()) job_is_unchecked_ = true;
    unchecked_.notify_all();
    metadata_ = consumer_->GroupMetadata();
    changed_.notify_all();
  }
  Beginning found;
  // Starting anywhere else would count documents twice: so this is retried until there is an
  // answer.
  while (!leaving_ && !Stopping()) {
    try {
      found = FindBeginning(partitions);
      break;
    } catch (const KafkaError& e) {
      if (!IsHopeless(e.code())) {
        std::this_thread::sleep_for(kTick);
        continue;
      }
      Fail(std::current_exception());
      break;
    } catch (...) {
      Fail(std::current_exception());
      break;
    }
  }
  if (found.expired > 0) {
    context_.Log(fmt::format("{} deleted from topic {} unread: its retention is too short",
                             Plural(found.expired, "document was", "documents were"),
                             job_.documents));
  }
  std::lock_guard lock(mutex_);
  counts_.expired += found.expired;
  for (const auto& [partition, offset] : found.offsets) {
    partitions_[partition] = {.committed = offset, .position = offset};
  }
  counts_.partitions = partitions_.size();
  changed_.notify_all();
  return found.offsets;
}

void Member::Revoked(const std::vector<int32_t>& partitions, bool lost) {
  std::unique_lock lock(mutex_);
  auto in_hand = [&] {
    return hand_ && std::any_of(partitions.begin(), partitions.end(),
                                [&](int32_t p) { return hand_->next.count(p) > 0; });
  };
  if (!lost) {
    metadata_ = consumer_->GroupMetadata();  // the group has a new generation
    changed_.notify_all();
    changed_.wait(lock, [&] { return !in_hand(); });
  }
  if (in_hand()) hand_->lost = true;
  for (const int32_t partition : partitions) {
    // Should it come back before the rest is dropped, it is read from where others left it.
    if (hand_) hand_->first.erase(partition);
    Forget(partition);
    partitions_.erase(partition);
  }
  counts_.partitions = partitions_.size();
  changed_.notify_all();
}

}  // namespace sda::cluster
