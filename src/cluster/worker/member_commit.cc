#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/kafka/explain.h"
#include "cluster/kafka/fault_point.h"
#include "cluster/log/lost_end.h"
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
      if (GivesUpLetters(e)) continue;
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

// Whether the commit may succeed without the notes of what was rejected.
bool Member::GivesUpLetters(const KafkaError& error) {
  const bool of_topic = IsHopeless(error.code()) || IsUnknownTopic(error.code()) ||
                        error.code() == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE;
  if (rejected_.empty() || !of_topic) return false;
  context_.Log(fmt::format("cannot note what was rejected in topic {}: {}", job_.rejected_topic(),
                           error.what()));
  AbortOpen();
  rejected_.clear();
  return true;
}

void Member::AbortOpen() {
  if (Producer* producer = first_producer_ ? first_producer_.get() : producer_.get()) {
    producer->Abort();
  }
}

bool Member::TryCommit(const Write& write) {
  if (!first_producer_ && !producer_) producer_ = NewProducer(worker_ + "." + RandomId());
  Producer& producer = first_producer_ ? *first_producer_ : *producer_;
  Ranges offsets;
  {
    std::lock_guard lock(mutex_);
    if (hand_) offsets = hand_->ranges();
  }
  producer.Begin();
  if (write) write(producer, offsets);
  for (const DeadLetter& letter : rejected_) WriteDeadLetter(job_, letter, &producer);
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
  if (write) {
    last_writer_ = std::move(first_producer_);
    look_for_end_ = Clock::now() + kUntilLost;
  }
  rejected_.clear();
  std::lock_guard lock(mutex_);
  for (const auto& [partition, offset] : hand_->next) {
    const auto state = partitions_.find(partition);
    if (state != partitions_.end()) state->second.committed = offset;
  }
  hand_.reset();
  changed_.notify_all();
  return true;
}

void Member::EndAgainIfLost(int64_t log_position) {
  if (Clock::now() < look_for_end_ || Stopping()) return;
  look_for_end_ = Clock::now() + kUntilLost;
  Producer* producer = last_writer_ ? last_writer_.get() : producer_.get();
  try {
    if (client_->EndOffset(job_.deltas_topic(), 0) > log_position) return;  // it is read right now
    const std::vector<Place> places = Unreadable(job_, {job_.deltas_topic()});
    if (places.empty()) {
      look_for_end_ = Clock::time_point::max();
    } else if (producer != nullptr) {
      context_.Log(
          "what it wrote last is committed and cannot be read: in case the brokers have forgotten "
          "to end the transaction, it is ended again");
      EndAgain(job_, places, producer);
    }
  } catch (const IoError&) {
    // It is tried again. To abort would undo what was committed.
  }
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
  Commit({});  // nothing to write
}

bool Member::GroupIsCaughtUp(const Offsets& folded, int64_t log_position) const {
  try {
    // An open transaction keeps deltas after it from being read.
    if (log_position < observer_->EndOffset(job_.deltas_topic(), 0)) return false;
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
  rejected_.clear();
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
