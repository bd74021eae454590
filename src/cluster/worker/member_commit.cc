#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/kafka/explain.h"
#include "cluster/kafka/fault_point.h"
#include "cluster/worker/member.h"

namespace sda::cluster {
namespace {

// The group has rebalanced, and this member does not know it yet.
bool IsOfAnotherGeneration(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION ||
         code == RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS ||
         code == RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID;
}

}  // namespace

bool Member::Commit(const Write& write) {
  constexpr int kTries = 50;
  for (int i = 0; i < kTries; ++i) {
    try {
      return TryCommit(write);
    } catch (const KafkaError& e) {
      if (IsHopeless(e.code())) throw;
      if (IsUnknownTopic(e.code()) && client_->IsGone(job_.documents)) throw;
      AbortOpen();
      if (Stopping()) break;
      if (!IsOfAnotherGeneration(e.code())) {
        Rejoin(e.what());
        return false;
      }
      // The rebalance will be reported; then either the documents are lost, or the commit is tried
      // again.
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kTick);
    } catch (...) {
      AbortOpen();
      throw;
    }
  }
  if (Stopping()) {
    Drop();
  } else {
    Rejoin("the group refuses its documents");
  }
  return false;
}

void Member::AbortOpen() {
  if (Producer* producer = first_producer_ ? first_producer_.get() : producer_.get()) {
    producer->Abort();
  }
}

bool Member::TryCommit(const Write& write) {
  if (!first_producer_ && !producer_) producer_ = NewProducer(worker_ + "." + RandomId());
  Producer& producer = first_producer_ ? *first_producer_ : *producer_;
  Offsets next;
  {
    std::lock_guard lock(mutex_);
    if (hand_) next = hand_->next;
  }
  producer.Begin();
  write(producer, next);
  producer.Flush();  // so that a transaction whose offsets are known is visible in the log
  FaultPoint("produced");
  {
    // While this is locked no partition can be revoked: the offsets sent to the group are those of
    // this member's partitions.
    std::unique_lock lock(mutex_);
    if (!hand_ || hand_->lost || !metadata_) {
      lock.unlock();
      producer.Abort();
      Drop();
      return false;
    }
    producer.SendOffsets(job_.documents, hand_->next, metadata_.get());
  }
  FaultPoint("offsets-sent");
  producer.Commit();
  FaultPoint("committed");
  first_producer_.reset();
  std::lock_guard lock(mutex_);
  for (const auto& [partition, offset] : hand_->next) {
    const auto state = partitions_.find(partition);
    if (state != partitions_.end()) state->second.committed = offset;
  }
  hand_.reset();
  changed_.notify_all();
  return true;
}

void Member::BeFirst() { first_producer_ = NewProducer("first"); }

// Marks of transactions after the last document are read, too, though there is nothing to fold.
void Member::CommitEnds() {
  {
    std::lock_guard lock(mutex_);
    if (hand_ || !waiting_.empty()) return;
    Hand ends;
    for (const auto& [partition, state] : partitions_) {
      if (state.end > state.committed) ends.first[partition] = ends.next[partition] = state.end;
    }
    if (ends.next.empty()) return;
    hand_ = std::move(ends);
  }
  Commit([](Producer&, const Offsets&) {});
}

bool Member::GroupIsCaughtUp(const Offsets& folded, int64_t log_position) const {
  try {
    // An open transaction keeps deltas after it from being read.
    if (log_position < observer_->Offsets(job_.deltas_topic(), 0).end) return false;
    const int partitions = client_->Partitions(job_.documents);
    const std::vector<int64_t> committed = observer_->Committed(job_.documents, partitions);
    for (int p = 0; p < partitions; ++p) {
      const Client::Range range = client_->Offsets(job_.documents, p);
      const int64_t read = std::max(committed[p], folded.count(p) > 0 ? folded.at(p) : -1);
      if (range.begin < range.end && read < range.end) return false;
    }
    return true;
  } catch (const KafkaError&) {
    return false;  // unknown
  }
}

std::unique_ptr<Producer> Member::NewProducer(const std::string& id) const {
  auto producer = std::make_unique<Producer>(job_.ProducerProperties(id), context_.token());
  producer->Partitions(job_.deltas_topic());  // looks the topic up before the first write
  return producer;
}

void Member::Drop() {
  first_producer_.reset();
  std::lock_guard lock(mutex_);
  if (!hand_) return;
  for (const auto& [partition, first] : hand_->first) {
    const auto state = partitions_.find(partition);
    if (state == partitions_.end()) continue;  // it is read by another now
    Forget(partition);
    state->second.waiting = 0;
    state->second.end = -1;
    state->second.go_to = state->second.position = first;
  }
  hand_.reset();
  changed_.notify_all();
}

}  // namespace sda::cluster
