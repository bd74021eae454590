#include "cluster/kafka/producer.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "cluster/kafka/explain.h"

namespace sda::cluster {
namespace {

constexpr int kRequestTimeout = 10'000;  // milliseconds
constexpr int kStepTimeout = 1'000;      // of what is called again when it takes longer
constexpr auto kLastPatience = std::chrono::seconds(5);  // of a client after a request to stop

}  // namespace

Producer::Producer(Properties properties, std::stop_token stop)
    : Client(RD_KAFKA_PRODUCER,
             [&] {
               properties.insert({"transaction.timeout.ms", "30000"});
               properties.insert({"linger.ms", "0"});
               return properties;
             }()),
      stop_(std::move(stop)) {
  Persist("beginning with transactions", std::chrono::minutes(2),
          [this] { return rd_kafka_init_transactions(handle(), kStepTimeout); });
}

void Producer::Fail(const std::string& doing, const rd_kafka_error_t& error) const {
  const auto code = rd_kafka_error_code(&error);
  const std::string text = rd_kafka_error_string(&error);
  if (IsForbidden(code)) {
    // Only the text shows whether the topic is that of the offsets or the one written to.
    const bool of_offsets = code == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED ||
                            text.find("commit offsets") != std::string::npos;
    const bool of_topic = code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED && !of_offsets;
    Expect(of_topic ? "writing to topic " + topic_ : doing, code, of_offsets ? "Read" : "Write");
  }
  if (IsCutOrRefused(code)) Expect(doing, code, "Write");
  throw KafkaError(doing, text, code);
}

void Producer::Persist(const std::string& doing, std::chrono::steady_clock::duration patience,
                       const std::function<rd_kafka_error_t*()>& call) const {
  auto give_up = std::chrono::steady_clock::now() + patience;
  bool stopping = false;
  while (const Owned<rd_kafka_error_t> error{call()}) {
    const auto now = std::chrono::steady_clock::now();
    if (!stopping && stop_.stop_requested()) {
      stopping = true;
      give_up = std::min(give_up, now + kLastPatience);
    }
    const bool again = rd_kafka_error_is_retriable(error.get()) != 0 && now < give_up;
    if (!again) Fail(doing, *error);
    ExpectWelcome();
    const bool waited = rd_kafka_error_code(error.get()) == RD_KAFKA_RESP_ERR__TIMED_OUT;
    if (!waited) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void Producer::Begin() {
  const Owned<rd_kafka_error_t> error(rd_kafka_begin_transaction(handle()));
  if (error) Fail("beginning a transaction", *error);
}

void Producer::Produce(const std::string& topic, int32_t partition, std::string_view key,
                       std::string_view value, std::string_view header_name,
                       std::string_view header) {
  topic_ = topic;
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
  const Owned<rd_kafka_error_t> error(rd_kafka_produceva(handle(), fields, count));
  if (error) Fail("writing to topic " + topic, *error);
}

void Producer::Flush() {
  // rd_kafka_flush() looks every 10 ms, which is long for a worker that waits.
  auto give_up = std::chrono::steady_clock::time_point::max();
  while (rd_kafka_outq_len(handle()) > 0) {
    rd_kafka_poll(handle(), 1);  // errors that it reports are counted, too, until they are handled
    ExpectWelcome();
    const auto now = std::chrono::steady_clock::now();
    if (now > give_up) throw KafkaError("writing to topic " + topic_, RD_KAFKA_RESP_ERR__TIMED_OUT);
    if (stop_.stop_requested()) give_up = std::min(give_up, now + kLastPatience);
  }
}

void Producer::SendOffsets(const std::string& topic, const std::map<int32_t, int64_t>& offsets,
                           const rd_kafka_consumer_group_metadata_t* metadata) {
  const OwnedPartitions list = OffsetList(topic, offsets);
  Persist("adding offsets of topic " + topic + " to a transaction", std::chrono::minutes(1), [&] {
    return rd_kafka_send_offsets_to_transaction(handle(), list.get(), metadata, kStepTimeout);
  });
}

void Producer::Commit() {
  // This never gives up: only the answer shows whether it was committed.
  Persist("committing a transaction", std::chrono::hours(24),
          [this] { return rd_kafka_commit_transaction(handle(), kStepTimeout); });
}

void Producer::Abort() noexcept {
  const int timeout = stop_.stop_requested() ? kStepTimeout : kRequestTimeout;
  if (rd_kafka_error_t* error = rd_kafka_abort_transaction(handle(), timeout)) {
    rd_kafka_error_destroy(error);
  }
}

}  // namespace sda::cluster
