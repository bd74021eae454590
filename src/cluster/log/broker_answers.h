#ifndef SDA_CLUSTER_LOG_BROKER_ANSWERS_H_
#define SDA_CLUSTER_LOG_BROKER_ANSWERS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "cluster/job.h"
#include "cluster/kafka/kafka.h"
#include "cluster/log/checked_log.h"

namespace sda::cluster {

// Answers what the checks of a log ask, from the brokers. For one thread.
class BrokerAnswers {
 public:
  // Waits that long for an answer, and gives up when a stop is requested: then throws KafkaError.
  BrokerAnswers(const Job& job, std::chrono::milliseconds patience, std::stop_token stop);

  // They refer to this.
  LogQuestions questions();

 private:
  int64_t EndOf(const std::string& topic, int32_t partition, int64_t at_least);
  int64_t AskEnd(const std::string& topic, int32_t partition);
  void ExpectSameVersion();
  void Persist(const std::function<void()>& ask) const;

  using Clock = std::chrono::steady_clock;
  const Job job_;
  const std::chrono::milliseconds patience_;
  const std::stop_token stop_;
  std::optional<Client> client_;  // made when it is needed
  struct Believed {
    Clock::time_point until{};
    int64_t end = 0;
  };
  std::map<std::pair<std::string, int32_t>, Believed> believed_;  // by topic and partition
  Clock::time_point version_is_known_until_{};
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_BROKER_ANSWERS_H_
