#include "cluster/kafka/consumer.h"

#include <algorithm>

#include "cluster/kafka/explain.h"

namespace sda::cluster {
namespace {

constexpr int kSeekTimeout = 10'000;                       // milliseconds
constexpr auto kLeavePatience = std::chrono::seconds(10);  // at each of its two steps

std::vector<int32_t> NumbersOf(const rd_kafka_topic_partition_list_t& list) {
  std::vector<int32_t> partitions;
  for (int i = 0; i < list.cnt; ++i) partitions.push_back(list.elems[i].partition);
  return partitions;
}

}  // namespace

bool IsTransient(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR__TRANSPORT || code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN ||
         code == RD_KAFKA_RESP_ERR__TIMED_OUT || code == RD_KAFKA_RESP_ERR__RESOLVE ||
         code == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
         code == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
         code == RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE ||
         code == RD_KAFKA_RESP_ERR_NOT_COORDINATOR;
}

bool IsTrimmed(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET ||
         code == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE;
}

bool IsUnknownTopic(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
         code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC || code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

std::string_view Message::header(const char* name) const {
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(message_.get(), &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  const void* value = nullptr;
  size_t size = 0;
  if (rd_kafka_header_get_last(headers, name, &value, &size) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return {};
  }
  return {static_cast<const char*>(value), size};
}

Properties Consumer::WithDefaults(Properties properties) {
  const Properties defaults = {{"enable.auto.commit", "false"},
                               {"enable.auto.offset.store", "false"},
                               {"isolation.level", "read_committed"},
                               {"enable.partition.eof", "true"},
                               {"auto.offset.reset", "earliest"},
                               {"partition.assignment.strategy", "cooperative-sticky"},
                               {"fetch.wait.max.ms", "100"},
                               {"fetch.error.backoff.ms", "50"}};
  properties.insert(defaults.begin(), defaults.end());
  return properties;
}

Consumer::Consumer(Properties properties)
    : Client(RD_KAFKA_CONSUMER, WithDefaults(std::move(properties)),
             [](rd_kafka_conf_t* conf) { rd_kafka_conf_set_rebalance_cb(conf, OnRebalance); }) {}

Consumer::~Consumer() {
  Close();
  messages_.reset();
  // librdkafka before 2.3 ends the program when a member of a group is destroyed between joining
  // and its first assignment (its issue 4312). Nor can one be destroyed that is not closed.
  if ((subscribed_ && !rebalanced_) || rd_kafka_consumer_closed(handle()) == 0) Abandon();
}

void Consumer::Close() {
  if (closed_) return;
  closed_ = true;
  if (subscribed_) GiveUpPartitions();
  const Owned<rd_kafka_queue_t> events(rd_kafka_queue_new(handle()));
  const Owned<rd_kafka_error_t> error(rd_kafka_consumer_close_queue(handle(), events.get()));
  const auto give_up = std::chrono::steady_clock::now() + kLeavePatience;
  while (!error && rd_kafka_consumer_closed(handle()) == 0 &&
         std::chrono::steady_clock::now() < give_up) {
    const Owned<rd_kafka_message_t> message(rd_kafka_consume_queue(events.get(), 10));
  }
}

// Until it is no member any more: while partitions are being assigned, librdkafka before 2.4 cannot
// be closed (its issue 4527).
void Consumer::GiveUpPartitions() {
  rd_kafka_unsubscribe(handle());
  const auto give_up = std::chrono::steady_clock::now() + kLeavePatience;
  while (IsMember() && std::chrono::steady_clock::now() < give_up) {
    const Owned<rd_kafka_message_t> message(rd_kafka_consumer_poll(handle(), 10));
  }
}

bool Consumer::IsMember() const {
  rd_kafka_topic_partition_list_t* list = nullptr;
  if (rd_kafka_assignment(handle(), &list) != RD_KAFKA_RESP_ERR_NO_ERROR) return false;
  const OwnedPartitions partitions(list);
  char* id = rd_kafka_memberid(handle());
  const bool joined = id != nullptr && *id != '\0';
  rd_kafka_mem_free(handle(), id);
  return joined || partitions->cnt > 0;
}

void Consumer::OnRebalance(rd_kafka_t*, rd_kafka_resp_err_t what,
                           rd_kafka_topic_partition_list_t* partitions, void* self) noexcept {
  auto* consumer = static_cast<Consumer*>(static_cast<Client*>(self));
  consumer->rebalanced_ = consumer->answered_ = true;
  const bool assigned = what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS;
  rd_kafka_error_t* error = nullptr;
  try {
    error = assigned ? consumer->Assigned(partitions) : consumer->Revoked(*partitions);
  } catch (...) {
    if (!consumer->failure_) consumer->failure_ = std::current_exception();
    // The library waits for an answer. If it is not known where to start in the partitions, none of
    // them is read.
    const OwnedPartitions none(rd_kafka_topic_partition_list_new(0));
    error = assigned ? rd_kafka_incremental_assign(consumer->handle(), none.get())
                     : rd_kafka_incremental_unassign(consumer->handle(), partitions);
  }
  // This error means that the group was left meanwhile; the next rebalance fixes it.
  if (error != nullptr) rd_kafka_error_destroy(error);
}

rd_kafka_error_t* Consumer::Assigned(rd_kafka_topic_partition_list_t* partitions) {
  for (const auto& [partition, offset] : rebalance_.assigned(NumbersOf(*partitions))) {
    for (int i = 0; i < partitions->cnt; ++i) {
      if (partitions->elems[i].partition == partition) partitions->elems[i].offset = offset;
    }
  }
  TakeMessagesOf(*partitions);  // before any can come
  return rd_kafka_incremental_assign(handle(), partitions);
}

rd_kafka_error_t* Consumer::Revoked(const rd_kafka_topic_partition_list_t& partitions) {
  rebalance_.revoked(NumbersOf(partitions), rd_kafka_assignment_lost(handle()) != 0);
  return rd_kafka_incremental_unassign(handle(), &partitions);
}

void Consumer::ExpectNoFailure() const {
  if (failure_) std::rethrow_exception(failure_);
}

void Consumer::TakeMessagesOf(const rd_kafka_topic_partition_list_t& partitions) {
  for (int i = 0; i < partitions.cnt; ++i) {
    const rd_kafka_topic_partition_t& of = partitions.elems[i];
    const Owned<rd_kafka_queue_t> queue(
        rd_kafka_queue_get_partition(handle(), of.topic, of.partition));
    if (queue) rd_kafka_queue_forward(queue.get(), messages_.get());
  }
}

void Consumer::Subscribe(const std::string& topic, Rebalance rebalance) {
  rebalance_ = std::move(rebalance);
  messages_.reset(rd_kafka_queue_new(handle()));
  topic_ = topic;
  subscribed_ = true;
  Expect("topic " + topic,
         rd_kafka_subscribe(handle(), PartitionList(topic, {RD_KAFKA_PARTITION_UA}).get()), "Read");
}

void Consumer::Assign(const std::string& topic, int32_t partition, int64_t offset) {
  Assign(topic, {{partition, offset}});
}

void Consumer::Assign(const std::string& topic, const std::map<int32_t, int64_t>& offsets) {
  topic_ = topic;
  Expect("topic " + topic, rd_kafka_assign(handle(), OffsetList(topic, offsets).get()), "Read");
}

void Consumer::Unassign() { rd_kafka_assign(handle(), nullptr); }

std::optional<Message> Consumer::Poll(std::chrono::milliseconds timeout) {
  if (!messages_) return PollGroup(timeout);
  return Checked(Owned<rd_kafka_message_t>(
      rd_kafka_consume_queue(messages_.get(), static_cast<int>(timeout.count()))));
}

std::optional<Message> Consumer::PollGroup(std::chrono::milliseconds timeout) {
  return Checked(Owned<rd_kafka_message_t>(
      rd_kafka_consumer_poll(handle(), static_cast<int>(timeout.count()))));
}

std::optional<Message> Consumer::Checked(Owned<rd_kafka_message_t> message) {
  ExpectNoFailure();
  if (!message) {
    ExpectWelcome();
    ExpectPermission();
    return std::nullopt;
  }
  answered_ = true;
  if (IsForbidden(message->err)) {
    const bool of_topic = message->rkt != nullptr;
    Expect(of_topic ? std::string("topic ") + rd_kafka_topic_name(message->rkt) : "consumer group",
           message->err, of_topic || subscribed_ ? "Read" : "Describe");
  }
  return Message(std::move(message));
}

// The library waits silently for a topic that it may not see.
void Consumer::ExpectPermission() {
  const auto now = std::chrono::steady_clock::now();
  if (answered_ || topic_.empty() || now < next_look_) return;
  next_look_ = now + std::chrono::seconds(5);
  if (RecentTrouble()) return;  // then it waits for a broker
  try {
    Partitions(topic_);
  } catch (const KafkaError& e) {
    if (IsForbidden(e.code())) throw;
  }
}

void Consumer::Pause(const std::string& topic, const std::vector<int32_t>& partitions) {
  rd_kafka_pause_partitions(handle(), PartitionList(topic, partitions).get());
}

void Consumer::Seek(const std::string& topic, const std::map<int32_t, int64_t>& offsets) {
  const OwnedPartitions list = OffsetList(topic, offsets);
  const Owned<rd_kafka_error_t> error(rd_kafka_seek_partitions(handle(), list.get(), kSeekTimeout));
  if (error) throw KafkaError("topic " + topic, rd_kafka_error_code(error.get()));
  for (int i = 0; i < list->cnt; ++i) Expect("topic " + topic, list->elems[i].err, "Read");
}

std::vector<int64_t> Consumer::Committed(const std::string& topic, int partitions) const {
  std::vector<int32_t> numbers(partitions);
  for (int i = 0; i < partitions; ++i) numbers[i] = i;
  const OwnedPartitions list = PartitionList(topic, numbers);
  Expect("offsets of topic " + topic, rd_kafka_committed(handle(), list.get(), timeout()),
         "Describe");
  std::vector<int64_t> offsets(partitions, -1);
  for (int i = 0; i < list->cnt; ++i) {
    // An offset that is unknown now is not the same as no offset.
    Expect("offsets of topic " + topic, list->elems[i].err, "Describe");
    offsets[list->elems[i].partition] = std::max<int64_t>(-1, list->elems[i].offset);
  }
  return offsets;
}

OwnedGroupMetadata Consumer::GroupMetadata() const {
  return OwnedGroupMetadata(rd_kafka_consumer_group_metadata(handle()));
}

}  // namespace sda::cluster
