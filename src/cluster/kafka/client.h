#ifndef SDA_CLUSTER_KAFKA_CLIENT_H_
#define SDA_CLUSTER_KAFKA_CLIENT_H_

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/kafka/properties.h"
#include "sda/errors.h"

namespace sda::cluster {

// What Kafka refused or could not do.
class KafkaError : public IoError {
 public:
  KafkaError(const std::string& doing, rd_kafka_resp_err_t code);
  KafkaError(const std::string& doing, const std::string& why, rd_kafka_resp_err_t code);

  rd_kafka_resp_err_t code() const { return code_; }
  bool unreachable() const;  // no broker answers

 private:
  rd_kafka_resp_err_t code_;
};

struct Release {
  void operator()(rd_kafka_t* p) const { rd_kafka_destroy(p); }
  void operator()(rd_kafka_topic_t* p) const { rd_kafka_topic_destroy(p); }
  void operator()(rd_kafka_message_t* p) const { rd_kafka_message_destroy(p); }
  void operator()(rd_kafka_queue_t* p) const { rd_kafka_queue_destroy(p); }
  void operator()(rd_kafka_error_t* p) const { rd_kafka_error_destroy(p); }
  void operator()(rd_kafka_topic_partition_list_t* p) const {
    rd_kafka_topic_partition_list_destroy(p);
  }
  void operator()(rd_kafka_consumer_group_metadata_t* p) const {
    rd_kafka_consumer_group_metadata_destroy(p);
  }
};
template <class T>
using Owned = std::unique_ptr<T, Release>;
using OwnedPartitions = Owned<rd_kafka_topic_partition_list_t>;
using OwnedGroupMetadata = Owned<rd_kafka_consumer_group_metadata_t>;

// The partitioner chooses.
inline constexpr int32_t kAnyPartition = RD_KAFKA_PARTITION_UA;
// The offset of the first message that a partition still has.
inline constexpr int64_t kFromBeginning = RD_KAFKA_OFFSET_BEGINNING;

// A connection of either kind.
class Client {
 public:
  // One for queries, which neither reads nor writes messages.
  explicit Client(Properties properties) : Client(RD_KAFKA_PRODUCER, std::move(properties)) {}
  virtual ~Client() = default;

  rd_kafka_t* handle() const { return handle_.get(); }

  // How long the calls below wait for an answer; 10 s by default.
  void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }

  // Throws KafkaError if there is no such topic, or no broker answers in time.
  int Partitions(const std::string& topic) const;
  bool HasTopic(const std::string& topic) const;
  // Whether it was deleted: no broker knows it, for some seconds. False if no broker answers.
  bool IsGone(const std::string& topic) const;
  struct Range {
    int64_t begin;
    int64_t end;
  };
  Range Offsets(const std::string& topic, int32_t partition) const;
  int64_t BeginOffset(const std::string& topic, int32_t partition) const;
  // For a client that reads only committed messages, before the first transaction that is open.
  int64_t EndOffset(const std::string& topic, int32_t partition) const;
  // Of the first message of that time, since 1970, or later; nothing if there is none.
  std::optional<int64_t> OffsetAt(const std::string& topic, int32_t partition,
                                  std::chrono::milliseconds time) const;

  // Waits until some broker answers; throws KafkaError if none does in time, or one refuses the
  // password, or its certificate is not trusted: then the code is that of authentication.
  void ExpectBroker(std::chrono::milliseconds timeout) const;
  // Throws the same if brokers have begun to refuse this client. Does not wait if all is well.
  void ExpectWelcome() const;

  // Throws KafkaError if the code is one of an error, with what is known of the connection, and of
  // the permission that is missing: what Kafka's ACLs call the operation.
  void Expect(const std::string& doing, rd_kafka_resp_err_t code,
              const std::string& operation) const;

 protected:
  Client(rd_kafka_type_t type, Properties properties,
         const std::function<void(rd_kafka_conf_t*)>& configure = {});

  int timeout() const { return static_cast<int>(timeout_.count()); }
  // Leaks the library's part of it on purpose.
  void Abandon() { static_cast<void>(handle_.release()); }

  // The last error of a connection, as the library reports it.
  struct Trouble {
    rd_kafka_resp_err_t code;
    std::string reason;
    std::chrono::steady_clock::time_point when;
  };
  std::optional<Trouble> RecentTrouble() const;

 private:
  int64_t Offset(const std::string& topic, int32_t partition, int64_t time) const;
  static void OnError(rd_kafka_t* rk, int code, const char* reason, void* self) noexcept;
  void ForgetTrouble() const;

  const Properties properties_;
  std::chrono::milliseconds timeout_{10'000};
  mutable std::mutex mutex_;
  mutable std::optional<Trouble> trouble_;  // guarded by it
  Owned<rd_kafka_t> handle_;
};

OwnedPartitions PartitionList(const std::string& topic, const std::vector<int32_t>& partitions);
OwnedPartitions OffsetList(const std::string& topic, const std::map<int32_t, int64_t>& offsets);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_KAFKA_CLIENT_H_
