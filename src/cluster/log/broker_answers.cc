#include "cluster/log/broker_answers.h"

#include <limits>
#include <thread>
#include <utility>

#include "cluster/kafka/explain.h"

namespace sda::cluster {

using std::chrono::milliseconds;

BrokerAnswers::BrokerAnswers(const Job& job, milliseconds patience, std::stop_token stop)
    : job_(job), patience_(patience), stop_(std::move(stop)) {}

LogQuestions BrokerAnswers::questions() {
  return {
      .end_of = [this](int32_t partition,
                       int64_t at_least) { return EndOf(job_.documents, partition, at_least); },
      .end_of_log = [this](int64_t at_least) { return EndOf(job_.deltas_topic(), 0, at_least); },
      .expect_same_version = [this] { ExpectSameVersion(); }};
}

// A broker that has just started, or has just become the leader, may not know all of a partition
// yet: so less than was claimed is believed only after some seconds. Once in a while is enough:
// otherwise who claims too much again and again would make everybody wait.
int64_t BrokerAnswers::EndOf(const std::string& topic, int32_t partition, int64_t at_least) {
  constexpr int kTries = 10;
  constexpr auto kBetween = milliseconds(500);
  constexpr auto kBelieved = std::chrono::minutes(1);
  int64_t end = AskEnd(topic, partition);
  Believed& believed = believed_[{topic, partition}];
  const bool is_known = Clock::now() < believed.until && end >= believed.end;
  if (end >= at_least || is_known) return end;
  for (int i = 0; i < kTries && end < at_least; ++i) {
    // Not believed yet: nothing may be set aside for it.
    if (stop_.stop_requested()) throw KafkaError("topic " + topic, RD_KAFKA_RESP_ERR__TIMED_OUT);
    std::this_thread::sleep_for(kBetween);
    end = AskEnd(topic, partition);
  }
  believed = {Clock::now() + kBelieved, end};
  return end;
}

int64_t BrokerAnswers::AskEnd(const std::string& topic, int32_t partition) {
  if (!client_) {
    Properties properties = job_.client;
    // Only this ends a request for offsets whose broker dies (librdkafka 2.0.2).
    properties.insert({"socket.timeout.ms", "5000"});
    client_.emplace(std::move(properties));
    client_->set_timeout(milliseconds(5000));
  }
  int64_t end = -1;
  Persist([&] {
    try {
      if (partition < client_->Partitions(topic)) end = client_->EndOffset(topic, partition);
    } catch (const KafkaError& e) {
      if (!IsUnknownTopic(e.code()) || !client_->IsGone(topic)) throw;
      // Documents that were all deleted cannot be learnt from twice, or be skipped.
      end = std::numeric_limits<int64_t>::max();
    }
  });
  return end;
}

void BrokerAnswers::ExpectSameVersion() {
  if (Clock::now() < version_is_known_until_) return;
  Persist([&] { OpenJob(job_.name, job_.client); });
  version_is_known_until_ = Clock::now() + std::chrono::seconds(5);
}

void BrokerAnswers::Persist(const std::function<void()>& ask) const {
  const auto give_up = Clock::now() + patience_;
  while (true) {
    try {
      return ask();
    } catch (const KafkaError& e) {
      if (IsHopeless(e.code()) || stop_.stop_requested() || Clock::now() > give_up) throw;
    }
    std::this_thread::sleep_for(milliseconds(100));
  }
}

}  // namespace sda::cluster
