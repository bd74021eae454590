#include "cluster/kafka.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <thread>

namespace sda::cluster {
namespace {

constexpr int kRequestTimeout = 10'000;  // milliseconds
constexpr int kStepTimeout = 1'000;      // of what is called again when it takes longer
constexpr auto kLastPatience = std::chrono::seconds(5);  // of a client that is told to stop

void Expect(const std::string& doing, rd_kafka_resp_err_t code) {
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) throw KafkaError(doing, code);
}

void Expect(const std::string& doing, rd_kafka_error_t* error) {
  if (error != nullptr) throw KafkaError(doing, error);
}

// Calls something that may be called again, until it succeeds or fails for good.
template <class Call>
void Persist(const std::string& doing, std::chrono::steady_clock::duration patience,
             const std::function<bool()>& stop, const Call& call) {
  auto give_up = std::chrono::steady_clock::now() + patience;
  bool stopping = false;
  while (rd_kafka_error_t* error = call()) {
    const auto now = std::chrono::steady_clock::now();
    if (!stopping && stop && stop()) {
      stopping = true;
      give_up = std::min(give_up, now + kLastPatience);
    }
    const bool again = rd_kafka_error_is_retriable(error) != 0 && now < give_up;
    if (!again) throw KafkaError(doing, error);
    const bool waited = rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR__TIMED_OUT;
    rd_kafka_error_destroy(error);
    if (!waited) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::string Trimmed(const std::string& text) {
  constexpr char kBlanks[] = " \t\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

bool IsOurs(const std::string& property) {
  static const std::set<std::string> names = {
      "auto.offset.reset",  "enable.auto.commit",   "enable.auto.offset.store",
      "enable.idempotence", "enable.partition.eof", "group.id",
      "group.instance.id",  "isolation.level",      "partition.assignment.strategy",
      "transactional.id"};
  return names.count(property) > 0;
}

std::vector<int32_t> NumbersOf(const rd_kafka_topic_partition_list_t& list) {
  std::vector<int32_t> partitions;
  for (int i = 0; i < list.cnt; ++i) partitions.push_back(list.elems[i].partition);
  return partitions;
}

}  // namespace

Properties ClientProperties(const std::string& brokers, const std::string& properties_file) {
  Properties properties;
  if (!properties_file.empty()) {
    std::ifstream in(properties_file);
    if (!in) throw std::runtime_error(properties_file + ": cannot open");
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      line = Trimmed(line);
      if (line.empty() || line[0] == '#' || line[0] == '!') continue;
      const size_t equals = line.find('=');
      if (equals == std::string::npos) {
        throw std::runtime_error(
            fmt::format("{}:{}: expected NAME=VALUE", properties_file, number));
      }
      const std::string name = Trimmed(line.substr(0, equals));
      if (IsOurs(name)) {
        throw std::runtime_error(
            fmt::format("{}:{}: {} is for sda to set: that each document counts once depends on "
                        "it; leave it out",
                        properties_file, number, name));
      }
      properties[name] = Trimmed(line.substr(equals + 1));
    }
  }
  if (!brokers.empty()) properties["bootstrap.servers"] = brokers;
  return properties;
}

KafkaError::KafkaError(const std::string& doing, rd_kafka_resp_err_t code)
    : std::runtime_error(fmt::format("{}: {}", doing, rd_kafka_err2str(code))), code_(code) {}

KafkaError::KafkaError(const std::string& doing, rd_kafka_error_t* error)
    : std::runtime_error(fmt::format("{}: {}", doing, rd_kafka_error_string(error))),
      code_(rd_kafka_error_code(error)) {
  rd_kafka_error_destroy(error);
}

bool KafkaError::unreachable() const {
  return code_ == RD_KAFKA_RESP_ERR__TRANSPORT || code_ == RD_KAFKA_RESP_ERR__TIMED_OUT ||
         code_ == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || code_ == RD_KAFKA_RESP_ERR__RESOLVE;
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

Client::Client(rd_kafka_type_t type, const Properties& properties,
               const std::function<void(rd_kafka_conf_t*)>& configure) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  std::array<char, 512> why{};
  for (const auto& [name, value] : properties) {
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why.data(), why.size()) !=
        RD_KAFKA_CONF_OK) {
      rd_kafka_conf_destroy(conf);  // `why` holds the value
      throw std::invalid_argument("Kafka property " + name + ": no such property, or a bad value");
    }
  }
  // What matters comes back as an error; the rest is the library talking to itself.
  rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
  if (configure) configure(conf);
  handle_.reset(rd_kafka_new(type, conf, why.data(), why.size()));
  if (!handle_) {
    rd_kafka_conf_destroy(conf);
    throw std::runtime_error(fmt::format("cannot make a Kafka client: {}", why.data()));
  }
}

void Client::ExpectBroker(std::chrono::milliseconds timeout) const {
  const rd_kafka_metadata_t* metadata = nullptr;
  const auto code =
      rd_kafka_metadata(handle(), 0, nullptr, &metadata, static_cast<int>(timeout.count()));
  if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    std::array<char, 512> servers{};
    size_t size = servers.size();
    rd_kafka_conf_get(rd_kafka_conf(handle()), "bootstrap.servers", servers.data(), &size);
    throw KafkaError(fmt::format("no Kafka broker answers at {}", servers.data()), code);
  }
}

int Client::Partitions(const std::string& topic) const {
  const Owned<rd_kafka_topic_t> of(rd_kafka_topic_new(handle(), topic.c_str(), nullptr));
  const rd_kafka_metadata_t* metadata = nullptr;
  Expect("topic " + topic, rd_kafka_metadata(handle(), 0, of.get(), &metadata, timeout()));
  const auto code =
      metadata->topic_cnt == 1 ? metadata->topics[0].err : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
  const int partitions = metadata->topic_cnt == 1 ? metadata->topics[0].partition_cnt : 0;
  rd_kafka_metadata_destroy(metadata);
  Expect("topic " + topic, code);
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

Client::Range Client::Offsets(const std::string& topic, int32_t partition) const {
  Range range{0, 0};
  Expect("topic " + topic, rd_kafka_query_watermark_offsets(handle(), topic.c_str(), partition,
                                                            &range.begin, &range.end, timeout()));
  return range;
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
    : Client(RD_KAFKA_CONSUMER, WithDefaults(std::move(properties)), [this](rd_kafka_conf_t* conf) {
        rd_kafka_conf_set_opaque(conf, this);
        rd_kafka_conf_set_rebalance_cb(conf, OnRebalance);
      }) {
  rd_kafka_poll_set_consumer(handle());
}

Consumer::~Consumer() {
  Close();
  // librdkafka before 2.3 ends the program when a member of a group is destroyed between joining
  // and its first assignment (its issue 4312).
  if (subscribed_ && !rebalanced_) Abandon();
}

void Consumer::Close() {
  if (closed_) return;
  closed_ = true;
  rd_kafka_consumer_close(handle());
}

void Consumer::OnRebalance(rd_kafka_t* rk, rd_kafka_resp_err_t what,
                           rd_kafka_topic_partition_list_t* partitions, void* self) {
  auto* consumer = static_cast<Consumer*>(self);
  consumer->rebalanced_ = true;
  const Rebalance& rebalance = consumer->rebalance_;
  rd_kafka_error_t* error = nullptr;
  if (what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    for (const auto& [partition, offset] : rebalance.assigned(NumbersOf(*partitions))) {
      for (int i = 0; i < partitions->cnt; ++i) {
        if (partitions->elems[i].partition == partition) partitions->elems[i].offset = offset;
      }
    }
    error = rd_kafka_incremental_assign(rk, partitions);
  } else {
    rebalance.revoked(NumbersOf(*partitions), rd_kafka_assignment_lost(rk) != 0);
    error = rd_kafka_incremental_unassign(rk, partitions);
  }
  // It tells of a group that was left meanwhile; the next rebalance mends it.
  if (error != nullptr) rd_kafka_error_destroy(error);
}

void Consumer::Subscribe(const std::string& topic, Rebalance rebalance) {
  rebalance_ = std::move(rebalance);
  subscribed_ = true;
  Expect("topic " + topic,
         rd_kafka_subscribe(handle(), PartitionList(topic, {RD_KAFKA_PARTITION_UA}).get()));
}

void Consumer::Assign(const std::string& topic, int32_t partition, int64_t offset) {
  Expect("topic " + topic,
         rd_kafka_assign(handle(), OffsetList(topic, {{partition, offset}}).get()));
}

std::optional<Message> Consumer::Poll(std::chrono::milliseconds timeout) {
  Owned<rd_kafka_message_t> message(
      rd_kafka_consumer_poll(handle(), static_cast<int>(timeout.count())));
  if (!message) return std::nullopt;
  return Message(std::move(message));
}

void Consumer::Pause(const std::string& topic, const std::vector<int32_t>& partitions) {
  rd_kafka_pause_partitions(handle(), PartitionList(topic, partitions).get());
}

void Consumer::Resume(const std::string& topic, const std::vector<int32_t>& partitions) {
  rd_kafka_resume_partitions(handle(), PartitionList(topic, partitions).get());
}

void Consumer::Seek(const std::string& topic, const std::map<int32_t, int64_t>& offsets) {
  const OwnedPartitions list = OffsetList(topic, offsets);
  Expect("topic " + topic, rd_kafka_seek_partitions(handle(), list.get(), kRequestTimeout));
  for (int i = 0; i < list->cnt; ++i) Expect("topic " + topic, list->elems[i].err);
}

std::vector<int64_t> Consumer::Committed(const std::string& topic, int partitions) const {
  std::vector<int32_t> numbers(partitions);
  for (int i = 0; i < partitions; ++i) numbers[i] = i;
  const OwnedPartitions list = PartitionList(topic, numbers);
  Expect("offsets of topic " + topic, rd_kafka_committed(handle(), list.get(), timeout()));
  std::vector<int64_t> offsets(partitions, -1);
  for (int i = 0; i < list->cnt; ++i) {
    // One that cannot be told now is not one that there is not.
    Expect("offsets of topic " + topic, list->elems[i].err);
    offsets[list->elems[i].partition] = std::max<int64_t>(-1, list->elems[i].offset);
  }
  return offsets;
}

OwnedGroupMetadata Consumer::GroupMetadata() const {
  return OwnedGroupMetadata(rd_kafka_consumer_group_metadata(handle()));
}

Producer::Producer(Properties properties, std::function<bool()> stop)
    : Client(RD_KAFKA_PRODUCER,
             [&] {
               properties.insert({"transaction.timeout.ms", "30000"});
               properties.insert({"linger.ms", "0"});
               return properties;
             }()),
      stop_(std::move(stop)) {
  Persist("beginning with transactions", std::chrono::minutes(2), stop_,
          [this] { return rd_kafka_init_transactions(handle(), kStepTimeout); });
}

void Producer::Begin() { Expect("beginning a transaction", rd_kafka_begin_transaction(handle())); }

void Producer::Produce(const std::string& topic, int32_t partition, std::string_view key,
                       std::string_view value, std::string_view header_name,
                       std::string_view header) {
  rd_kafka_vu_t fields[6];
  size_t count = 0;
  fields[count].vtype = RD_KAFKA_VTYPE_TOPIC;
  fields[count++].u.cstr = topic.c_str();
  fields[count].vtype = RD_KAFKA_VTYPE_PARTITION;
  fields[count++].u.i32 = partition;
  fields[count].vtype = RD_KAFKA_VTYPE_KEY;
  fields[count].u.mem.ptr = const_cast<char*>(key.data());
  fields[count++].u.mem.size = key.size();
  fields[count].vtype = RD_KAFKA_VTYPE_VALUE;
  fields[count].u.mem.ptr = const_cast<char*>(value.data());
  fields[count++].u.mem.size = value.size();
  fields[count].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
  fields[count++].u.i =
      RD_KAFKA_MSG_F_COPY | RD_KAFKA_MSG_F_BLOCK;  // waits while the queue is full
  const std::string name(header_name);
  if (!name.empty()) {
    fields[count].vtype = RD_KAFKA_VTYPE_HEADER;
    fields[count].u.header.name = name.c_str();
    fields[count].u.header.val = header.data();
    fields[count++].u.header.size = static_cast<ssize_t>(header.size());
  }
  Expect("writing to topic " + topic, rd_kafka_produceva(handle(), fields, count));
}

void Producer::Flush() {
  while (rd_kafka_flush(handle(), kStepTimeout) == RD_KAFKA_RESP_ERR__TIMED_OUT) {
    if (stop_ && stop_()) break;  // messages that do not arrive fail, after a while
  }
}

void Producer::SendOffsets(const std::string& topic, const std::map<int32_t, int64_t>& offsets,
                           const rd_kafka_consumer_group_metadata_t* metadata) {
  Flush();  // so a transaction whose offsets are known can be seen in the topic
  const OwnedPartitions list = OffsetList(topic, offsets);
  Persist("adding offsets to a transaction", std::chrono::minutes(1), stop_, [&] {
    return rd_kafka_send_offsets_to_transaction(handle(), list.get(), metadata, kStepTimeout);
  });
}

void Producer::Commit() {
  // There is no giving up: whether it was committed is known only from the answer.
  Persist("committing a transaction", std::chrono::hours(24), stop_,
          [this] { return rd_kafka_commit_transaction(handle(), kStepTimeout); });
}

void Producer::Abort() noexcept {
  const int timeout = stop_ && stop_() ? kStepTimeout : kRequestTimeout;
  if (rd_kafka_error_t* error = rd_kafka_abort_transaction(handle(), timeout)) {
    rd_kafka_error_destroy(error);
  }
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
