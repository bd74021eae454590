#include <fmt/format.h>

#include <algorithm>

#include "cluster/kafka/explain.h"
#include "cluster/log/lost_end.h"
#include "cluster/worker/member.h"

namespace sda::cluster {
using std::chrono::milliseconds;

void Member::ReadAhead(const std::stop_token& stop) {
  try {
    while (!stop.stop_requested()) {
      GoBack();
      while (const auto news = consumer_->PollGroup(milliseconds(0))) Keep(*news);
      if (HasEnough()) continue;
      constexpr int kMost = 1000;  // before the group is polled again
      for (int i = 0; i < kMost; ++i) {
        const auto message = consumer_->Poll(kGroupTick);
        if (!message || !Keep(*message)) break;
      }
    }
  } catch (...) {
    Fail(std::current_exception());
  }
}

bool Member::WantsMore() const {
  return waiting_.size() < 2 * wanted_ && waiting_bytes_ <= kMostBytes;
}

// Waits for a moment if so.
bool Member::HasEnough() {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, kGroupTick, [&] { return WantsMore(); });
}

// Back to documents that were dropped. Done by the reading thread, so that nothing read earlier can
// follow.
void Member::GoBack() {
  std::map<int32_t, int64_t> offsets;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [partition, state] : partitions_) {
      if (state.go_to) offsets[partition] = *state.go_to;
    }
  }
  if (offsets.empty()) return;
  try {
    consumer_->Seek(job_.documents, offsets);
  } catch (const KafkaError&) {
    return;  // retried
  }
  std::lock_guard lock(mutex_);
  for (const auto& [partition, offset] : offsets) {
    const auto state = partitions_.find(partition);
    if (state != partitions_.end()) state->second.go_to.reset();
  }
}

// A batch that the client cannot unpack: it asks for it again and again, and reads nothing after
// it.
void Member::TellUnreadable(const Message& message) {
  if (Clock::now() < tell_unreadable_) return;
  tell_unreadable_ = Clock::now() + std::chrono::minutes(1);
  context_.Log(fmt::format(
      "topic {}, partition {}, offset {}: the messages there cannot be unpacked ({}), "
      "and keep the partition from being read; remove them, with kafka-delete-records",
      job_.documents, message.partition(), message.offset(), rd_kafka_err2str(message.error())));
}

// False if there are enough for now.
bool Member::Keep(const Message& message) {
  if (message.error() != RD_KAFKA_RESP_ERR_NO_ERROR && !message.at_end()) {
    const bool deleted = IsUnknownTopic(message.error()) && client_->IsGone(job_.documents);
    if (deleted || IsHopeless(message.error())) {
      throw KafkaError("topic " + job_.documents, message.error());
    }
    if (message.error() == RD_KAFKA_RESP_ERR__BAD_COMPRESSION ||
        message.error() == RD_KAFKA_RESP_ERR__BAD_MSG) {
      TellUnreadable(message);
    }
    return true;  // the client retries
  }
  std::lock_guard lock(mutex_);
  const auto found = partitions_.find(message.partition());
  if (found == partitions_.end() || found->second.go_to) return true;
  Partition& partition = found->second;
  if (message.at_end()) {
    if (message.offset() >= partition.position) partition.end = message.offset();
    changed_.notify_all();
    return true;
  }
  if (message.offset() < partition.position) return true;  // it was read before
  partition.position = message.offset() + 1;
  partition.end = -1;
  if (IsEndMark(message)) return true;
  ++partition.waiting;
  if (waiting_.empty()) waiting_since_ = Clock::now();
  waiting_.push_back({message.partition(), message.offset(), message.milliseconds(),
                      std::string(message.key()), std::string(message.value())});
  waiting_bytes_ += waiting_.back().bytes();
  if (waiting_.size() == wanted_) changed_.notify_all();
  return WantsMore();
}

}  // namespace sda::cluster
