#ifndef SDA_CLUSTER_KAFKA_PRODUCER_H_
#define SDA_CLUSTER_KAFKA_PRODUCER_H_

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>

#include "cluster/kafka/client.h"

namespace sda::cluster {

// Writes in transactions: readers see all of one, or nothing.
class Producer : public Client {
 public:
  // Ends what an earlier producer with the same "transactional.id" left open, and shuts it out.
  // When a stop is requested, the calls below give up after some seconds: the operation may have
  // happened or not.
  explicit Producer(Properties properties, std::stop_token stop = {});

  void Begin();
  void Produce(const std::string& topic, int32_t partition, std::string_view key,
               std::string_view value, std::string_view header_name = {},
               std::string_view header = {});
  // What was written has arrived when this returns, or will fail. Throws KafkaError if a stop is
  // requested and nothing has arrived after some seconds.
  void Flush();
  void SendOffsets(const std::string& topic, const std::map<int32_t, int64_t>& offsets,
                   const rd_kafka_consumer_group_metadata_t* metadata);
  void Commit();
  // Ends a transaction that failed as well as can be: what cannot be aborted times out.
  void Abort() noexcept;

 private:
  // Calls something that may be called again, until it succeeds or fails permanently.
  void Persist(const std::string& doing, std::chrono::steady_clock::duration patience,
               const std::function<rd_kafka_error_t*()>& call) const;
  [[noreturn]] void Fail(const std::string& doing, const rd_kafka_error_t& error) const;

  const std::stop_token stop_;
  std::string topic_;  // that was written to last
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_KAFKA_PRODUCER_H_
