#include "cluster/kafka/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "cluster/kafka/explain.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

std::string ServersOf(rd_kafka_t* handle) {
  std::array<char, 512> servers{};
  size_t size = servers.size();
  rd_kafka_conf_get(rd_kafka_conf(handle), "bootstrap.servers", servers.data(), &size);
  return servers.data();
}

}  // namespace

KafkaError::KafkaError(const std::string& doing, rd_kafka_resp_err_t code)
    : KafkaError(doing, rd_kafka_err2str(code), code) {}

KafkaError::KafkaError(const std::string& doing, const std::string& why, rd_kafka_resp_err_t code)
    : IoError(fmt::format("{}: {}", doing, why)), code_(code) {}

bool KafkaError::unreachable() const {
  return code_ == RD_KAFKA_RESP_ERR__TRANSPORT || code_ == RD_KAFKA_RESP_ERR__TIMED_OUT ||
         code_ == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || code_ == RD_KAFKA_RESP_ERR__RESOLVE;
}

Client::Client(rd_kafka_type_t type, Properties properties,
               const std::function<void(rd_kafka_conf_t*)>& configure)
    : properties_([&] {
        // Only this ends a request for offsets whose broker dies (librdkafka 2.0.2).
        if (properties.count("transactional.id") == 0) {
          properties.insert({"socket.timeout.ms", "10000"});
        }
        return properties;
      }()) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  std::array<char, 512> why{};
  for (const auto& [name, value] : properties_) {
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why.data(), why.size()) !=
        RD_KAFKA_CONF_OK) {
      rd_kafka_conf_destroy(conf);  // `why` holds the value
      throw UsageError("Kafka property " + name + ": no such property, or a bad value");
    }
  }
  // Everything important is also returned as an error; the rest is debug output of the library.
  rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
  rd_kafka_conf_set_opaque(conf, this);
  rd_kafka_conf_set_error_cb(conf, OnError);
  if (configure) configure(conf);
  handle_.reset(rd_kafka_new(type, conf, why.data(), why.size()));
  if (!handle_) {
    rd_kafka_conf_destroy(conf);
    throw IoError(fmt::format("cannot make a Kafka client: {}", why.data()));
  }
}

// Called by rd_kafka_poll(), and by all other functions that serve the library's events: through
// frames of C, where an exception must not pass.
void Client::OnError(rd_kafka_t*, int code, const char* reason, void* self) noexcept try {
  // These concern no single connection: why all are down was reported before.
  if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || code == RD_KAFKA_RESP_ERR__FATAL) return;
  const auto* client = static_cast<Client*>(self);
  std::lock_guard lock(client->mutex_);
  client->trouble_ = {static_cast<rd_kafka_resp_err_t>(code), reason, Clock::now()};
} catch (...) {
  // No memory for the reason: the error itself will come back from a call.
}

// The library reports the same error again after half a minute.
std::optional<Client::Trouble> Client::RecentTrouble() const {
  rd_kafka_poll(handle(), 0);
  std::lock_guard lock(mutex_);
  if (trouble_ && Clock::now() - trouble_->when > std::chrono::minutes(1)) trouble_.reset();
  return trouble_;
}

void Client::ForgetTrouble() const {
  std::lock_guard lock(mutex_);
  trouble_.reset();
}

void Client::ExpectBroker(milliseconds timeout) const {
  const std::string servers = ServersOf(handle());
  const auto give_up = Clock::now() + timeout;
  while (true) {
    const rd_kafka_metadata_t* metadata = nullptr;
    const int step = static_cast<int>(std::min(timeout, milliseconds(500)).count());
    const auto code = rd_kafka_metadata(handle(), 0, nullptr, &metadata, step);
    if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return ForgetTrouble();
    const auto trouble = RecentTrouble();
    const std::string why = trouble ? ExplainConnection(trouble->code, trouble->reason, properties_)
                                    : rd_kafka_err2str(code);
    if (trouble && IsRefusal(trouble->code, trouble->reason)) {
      throw KafkaError("Kafka at " + servers, why, RD_KAFKA_RESP_ERR__AUTHENTICATION);
    }
    if (Clock::now() >= give_up) {
      throw KafkaError("no Kafka broker answers at " + servers, why, code);
    }
  }
}

void Client::ExpectWelcome() const {
  const auto trouble = RecentTrouble();
  if (!trouble || !IsRefusal(trouble->code, trouble->reason)) return;
  ForgetTrouble();
  // It may be over: a client that waits for the brokers to come back must not fail because of an
  // earlier error. A new connection will show.
  Properties properties = properties_;
  properties.erase("transactional.id");
  try {
    Client(properties).ExpectBroker(std::chrono::seconds(5));
  } catch (const KafkaError& e) {
    if (!e.unreachable()) throw;
  }
}

void Client::Expect(const std::string& doing, rd_kafka_resp_err_t code,
                    const std::string& operation) const {
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return;
  if (IsForbidden(code)) {
    throw KafkaError(doing, ExplainForbidden(code, operation, properties_), code);
  }
  // A connection that was closed while it was set up has the code of one that was refused.
  KafkaError error(doing, IsCutOrRefused(code) ? RD_KAFKA_RESP_ERR__TRANSPORT : code);
  if (error.unreachable()) {
    ExpectWelcome();
    if (const auto trouble = RecentTrouble()) {
      error = {doing, ExplainConnection(trouble->code, trouble->reason, properties_), error.code()};
    }
  }
  throw error;
}

int Client::Partitions(const std::string& topic) const {
  const Owned<rd_kafka_topic_t> of(rd_kafka_topic_new(handle(), topic.c_str(), nullptr));
  const rd_kafka_metadata_t* metadata = nullptr;
  Expect("topic " + topic, rd_kafka_metadata(handle(), 0, of.get(), &metadata, timeout()),
         "Describe");
  const auto code =
      metadata->topic_cnt == 1 ? metadata->topics[0].err : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
  const int partitions = metadata->topic_cnt == 1 ? metadata->topics[0].partition_cnt : 0;
  rd_kafka_metadata_destroy(metadata);
  Expect("topic " + topic, code, "Describe");
  return partitions;
}

bool Client::HasTopic(const std::string& topic) const {
  try {
    return Partitions(topic) > 0;
  } catch (const KafkaError& e) {
    if (e.code() == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
        e.code() == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC) {
      return false;
    }
    throw;
  }
}

bool Client::IsGone(const std::string& topic) const {
  constexpr int kTimes = 4;  // a broker that has just started may not know it yet
  try {
    for (int i = 0; i < kTimes; ++i) {
      if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
      if (HasTopic(topic)) return false;
    }
    return true;
  } catch (const KafkaError&) {
    return false;
  }
}

// The time may also be one of the library's marks for the begin and the end.
// rd_kafka_query_watermark_offsets() would ask for these two, too, but until librdkafka 2.3 it does
// not return while the broker is away (its issue 2588).
int64_t Client::Offset(const std::string& topic, int32_t partition, int64_t time) const {
  const OwnedPartitions list = OffsetList(topic, {{partition, time}});
  auto code = rd_kafka_offsets_for_times(handle(), list.get(), timeout());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) code = list->elems[0].err;
  // Where no answer came in time, the list is as it was, and no error is reported.
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR && list->elems[0].offset == time) {
    code = RD_KAFKA_RESP_ERR__TIMED_OUT;
  }
  // A topic that this user may not see has no partitions: its metadata tell why.
  if (code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION) Partitions(topic);
  Expect("topic " + topic, code, "Describe");
  return list->elems[0].offset;
}

int64_t Client::BeginOffset(const std::string& topic, int32_t partition) const {
  return Offset(topic, partition, RD_KAFKA_OFFSET_BEGINNING);
}

int64_t Client::EndOffset(const std::string& topic, int32_t partition) const {
  return Offset(topic, partition, RD_KAFKA_OFFSET_END);
}

Client::Range Client::Offsets(const std::string& topic, int32_t partition) const {
  const int64_t begin = BeginOffset(topic, partition);
  return {begin, EndOffset(topic, partition)};
}

std::optional<int64_t> Client::OffsetAt(const std::string& topic, int32_t partition,
                                        milliseconds time) const {
  const int64_t offset = Offset(topic, partition, time.count());
  return offset < 0 ? std::nullopt : std::optional(offset);
}

OwnedPartitions PartitionList(const std::string& topic, const std::vector<int32_t>& partitions) {
  OwnedPartitions list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const int32_t partition : partitions) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition);
  }
  return list;
}

OwnedPartitions OffsetList(const std::string& topic, const std::map<int32_t, int64_t>& offsets) {
  OwnedPartitions list(rd_kafka_topic_partition_list_new(static_cast<int>(offsets.size())));
  for (const auto& [partition, offset] : offsets) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = offset;
  }
  return list;
}

}  // namespace sda::cluster
