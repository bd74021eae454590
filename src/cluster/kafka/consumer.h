#ifndef SDA_CLUSTER_KAFKA_CONSUMER_H_
#define SDA_CLUSTER_KAFKA_CONSUMER_H_

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/kafka/client.h"

namespace sda::cluster {

// Transient errors.
bool IsTransient(rd_kafka_resp_err_t code);
// The offset does not exist any more, or not yet.
bool IsTrimmed(rd_kafka_resp_err_t code);

// No broker knows the topic, or the partition: it was deleted, or a broker has just started.
bool IsUnknownTopic(rd_kafka_resp_err_t code);

// One message, or the notice that a partition has none left for now.
class Message {
 public:
  explicit Message(Owned<rd_kafka_message_t> message) : message_(std::move(message)) {}

  bool at_end() const { return message_->err == RD_KAFKA_RESP_ERR__PARTITION_EOF; }
  rd_kafka_resp_err_t error() const { return message_->err; }
  int32_t partition() const { return message_->partition; }
  int64_t offset() const { return message_->offset; }
  int64_t milliseconds() const { return rd_kafka_message_timestamp(message_.get(), nullptr); }
  std::string_view key() const {
    return {static_cast<const char*>(message_->key), message_->key_len};
  }
  std::string_view value() const {
    return {static_cast<const char*>(message_->payload), message_->len};
  }
  // Empty if there is none.
  std::string_view header(const char* name) const;

 private:
  Owned<rd_kafka_message_t> message_;
};

// Reads only committed messages. Offsets are committed in the transaction that folds what was
// read, never automatically by the client.
class Consumer : public Client {
 public:
  // Called by PollGroup(), when partitions are assigned to this member of the group or revoked.
  // Their exceptions are thrown by this and every later poll, since the library that calls them is
  // in C.
  struct Rebalance {
    // Returns from which offsets to read those that should not continue where the group left off.
    std::function<std::map<int32_t, int64_t>(const std::vector<int32_t>& partitions)> assigned;
    // lost: they are gone already, since the group has removed this member.
    std::function<void(const std::vector<int32_t>& partitions, bool lost)> revoked;
  };

  explicit Consumer(Properties properties);
  ~Consumer() override;

  // As a member of the group "group.id" of the properties.
  void Subscribe(const std::string& topic, Rebalance rebalance);
  // One partition from an offset on, or several, without a group.
  void Assign(const std::string& topic, int32_t partition, int64_t offset);
  void Assign(const std::string& topic, const std::map<int32_t, int64_t>& offsets);
  // Stops reading.
  void Unassign();

  // Throws KafkaError if the user lacks a permission, or the brokers refuse the password.
  std::optional<Message> Poll(std::chrono::milliseconds timeout);
  // Handles the events of the group; returns what went wrong there. Apart from Poll(), so that a
  // member that has enough messages for now remains one (the client stops fetching when 64 MB are
  // queued).
  std::optional<Message> PollGroup(std::chrono::milliseconds timeout);

  // Stops fetching from them.
  void Pause(const std::string& topic, const std::vector<int32_t>& partitions);

  // Continues from these offsets. Throws KafkaError.
  void Seek(const std::string& topic, const std::map<int32_t, int64_t>& offsets);

  // The group's offsets of this number of partitions; -1 where there is none yet.
  std::vector<int64_t> Committed(const std::string& topic, int partitions) const;

  // The identity of this member in the group, for a transaction.
  OwnedGroupMetadata GroupMetadata() const;

  // Leaves the group; gives up after some seconds if it cannot. Called by the destructor, too.
  void Close();

 private:
  static void OnRebalance(rd_kafka_t* rk, rd_kafka_resp_err_t what,
                          rd_kafka_topic_partition_list_t* partitions, void* self) noexcept;
  rd_kafka_error_t* Assigned(rd_kafka_topic_partition_list_t* partitions);
  rd_kafka_error_t* Revoked(const rd_kafka_topic_partition_list_t& partitions);
  void ExpectNoFailure() const;
  void GiveUpPartitions();
  bool IsMember() const;
  static Properties WithDefaults(Properties properties);
  // The result of a poll, if it is not a refusal.
  std::optional<Message> Checked(Owned<rd_kafka_message_t> message);
  void ExpectPermission();
  void TakeMessagesOf(const rd_kafka_topic_partition_list_t& partitions);

  Rebalance rebalance_;
  std::exception_ptr failure_;        // of a callback
  Owned<rd_kafka_queue_t> messages_;  // of a member of a group
  bool subscribed_ = false;
  bool rebalanced_ = false;  // the group has given it partitions at least once, perhaps none
  bool closed_ = false;
  std::string topic_;      // that it reads
  bool answered_ = false;  // something has come
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_KAFKA_CONSUMER_H_
