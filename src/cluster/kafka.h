#ifndef SDA_CLUSTER_KAFKA_H_
#define SDA_CLUSTER_KAFKA_H_

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Apache Kafka, as much of it as a job needs: a thin layer over librdkafka that owns what must be
// released and turns errors into exceptions.
namespace sda::cluster {

using Properties = std::map<std::string, std::string>;

// How to reach the cluster: bootstrap.servers, and what a properties file says of TLS and SASL.
// Values are never shown in a message: they may be passwords.
Properties ClientProperties(const std::string& brokers, const std::string& properties_file);

// What Kafka refused or could not do.
class KafkaError : public std::runtime_error {
 public:
  KafkaError(const std::string& doing, rd_kafka_resp_err_t code);
  // Takes the error over.
  KafkaError(const std::string& doing, rd_kafka_error_t* error);

  rd_kafka_resp_err_t code() const { return code_; }
  bool unreachable() const;  // nobody answers

 private:
  rd_kafka_resp_err_t code_;
};

struct Release {
  void operator()(rd_kafka_t* p) const { rd_kafka_destroy(p); }
  void operator()(rd_kafka_topic_t* p) const { rd_kafka_topic_destroy(p); }
  void operator()(rd_kafka_message_t* p) const { rd_kafka_message_destroy(p); }
  void operator()(rd_kafka_topic_partition_list_t* p) const {
    rd_kafka_topic_partition_list_destroy(p);
  }
  void operator()(rd_kafka_queue_t* p) const { rd_kafka_queue_destroy(p); }
  void operator()(rd_kafka_consumer_group_metadata_t* p) const {
    rd_kafka_consumer_group_metadata_destroy(p);
  }
};
template <class T>
using Owned = std::unique_ptr<T, Release>;
using OwnedPartitions = Owned<rd_kafka_topic_partition_list_t>;
using OwnedGroupMetadata = Owned<rd_kafka_consumer_group_metadata_t>;

// One message, or the news that a partition has none left for now.
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

// A connection of either kind.
class Client {
 public:
  Client(rd_kafka_type_t type, const Properties& properties,
         const std::function<void(rd_kafka_conf_t*)>& configure = {});
  virtual ~Client() = default;

  rd_kafka_t* handle() const { return handle_.get(); }

  // How long the calls below wait for an answer; 10 s if nothing is said.
  void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }

  // Throws KafkaError if there is no such topic, or nobody answers in time.
  int Partitions(const std::string& topic) const;
  bool HasTopic(const std::string& topic) const;
  // Whether it was deleted: no broker knows it, for some seconds. False if nobody answers.
  bool IsGone(const std::string& topic) const;
  struct Range {
    int64_t begin;
    int64_t end;
  };
  Range Offsets(const std::string& topic, int32_t partition) const;

  // Waits until some broker answers; throws KafkaError if none does in time.
  void ExpectBroker(std::chrono::milliseconds timeout) const;

 protected:
  int timeout() const { return static_cast<int>(timeout_.count()); }
  // Leaves the library's part of it where it is, for good.
  void Abandon() { static_cast<void>(handle_.release()); }

 private:
  Owned<rd_kafka_t> handle_;
  std::chrono::milliseconds timeout_{10'000};
};

// Reads committed messages alone. Offsets are committed by whoever folds what was read, never by
// themselves.
class Consumer : public Client {
 public:
  // Called by PollGroup(), when partitions come to this member of the group or go.
  struct Rebalance {
    // Returns from which offsets to read those that should not go on where the group left off.
    std::function<std::map<int32_t, int64_t>(const std::vector<int32_t>& partitions)> assigned;
    // lost: they went already, since the group has given this member up.
    std::function<void(const std::vector<int32_t>& partitions, bool lost)> revoked;
  };

  explicit Consumer(Properties properties);
  ~Consumer() override;

  // As a member of the group "group.id" of the properties.
  void Subscribe(const std::string& topic, Rebalance rebalance);
  // One partition from an offset on, without a group.
  void Assign(const std::string& topic, int32_t partition, int64_t offset);

  std::optional<Message> Poll(std::chrono::milliseconds timeout);
  // Hears of the group, and answers it; returns what went wrong there. Apart from Poll(), so that a
  // member that has enough messages for now remains one (the client stops to fetch when 64 MB
  // wait).
  std::optional<Message> PollGroup(std::chrono::milliseconds timeout);

  // Fetches nothing of them any more.
  void Pause(const std::string& topic, const std::vector<int32_t>& partitions);

  // Goes on from these offsets. Throws KafkaError.
  void Seek(const std::string& topic, const std::map<int32_t, int64_t>& offsets);

  // The group's offsets of these many partitions; -1 where there is none yet.
  std::vector<int64_t> Committed(const std::string& topic, int partitions) const;

  // Who this is in the group, for a transaction.
  OwnedGroupMetadata GroupMetadata() const;

  // Leaves the group. Called by the destructor, too.
  void Close();

 private:
  static void OnRebalance(rd_kafka_t* rk, rd_kafka_resp_err_t what,
                          rd_kafka_topic_partition_list_t* partitions, void* self);
  static Properties WithDefaults(Properties properties);

  void TakeMessagesOf(const rd_kafka_topic_partition_list_t& partitions);

  Rebalance rebalance_;
  Owned<rd_kafka_queue_t> messages_;  // of a member of a group
  bool subscribed_ = false;
  bool rebalanced_ = false;  // the group has given it partitions at least once, perhaps none
  bool closed_ = false;
};

// Writes in transactions: all of one, or nothing, can be read.
class Producer : public Client {
 public:
  // Ends what an earlier producer with the same "transactional.id" left open, and shuts it out.
  // When stop() says so, what follows gives up after some seconds: it may have happened or not.
  explicit Producer(Properties properties, std::function<bool()> stop = {});

  void Begin();
  void Produce(const std::string& topic, int32_t partition, std::string_view key,
               std::string_view value, std::string_view header_name = {},
               std::string_view header = {});
  // What was written has arrived when this returns, or will fail.
  void Flush();
  void SendOffsets(const std::string& topic, const std::map<int32_t, int64_t>& offsets,
                   const rd_kafka_consumer_group_metadata_t* metadata);
  void Commit();
  // Ends a transaction that failed as well as can be: what cannot be aborted times out.
  void Abort() noexcept;

 private:
  const std::function<bool()> stop_;
};

OwnedPartitions PartitionList(const std::string& topic, const std::vector<int32_t>& partitions);
OwnedPartitions OffsetList(const std::string& topic, const std::map<int32_t, int64_t>& offsets);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_KAFKA_H_
