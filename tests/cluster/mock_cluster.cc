#include "tests/cluster/mock_cluster.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "cluster/log/body.h"
#include "cluster/log/chunks.h"
#include "cluster/stored_job.h"

// The address sanitizer asks for it: the client library leaks a request that no broker supports, as
// the mock cluster supports no trimming.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:librdkafka"; }

namespace sda::cluster {

namespace {

rd_kafka_t* NewProducer(const std::string& servers) {
  std::array<char, 512> why{};
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
  if (!servers.empty()) {
    rd_kafka_conf_set(conf, "bootstrap.servers", servers.c_str(), why.data(), why.size());
    rd_kafka_conf_set(conf, "linger.ms", "0", why.data(), why.size());
  }
  rd_kafka_t* producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why.data(), why.size());
  if (producer == nullptr) throw std::runtime_error(std::string("no producer: ") + why.data());
  return producer;
}

}  // namespace

MockCluster::MockCluster() : host_(NewProducer("")), brokers_(rd_kafka_mock_cluster_new(host_, 1)) {
  if (brokers_ == nullptr) throw std::runtime_error("no mock cluster");
  producer_ = NewProducer(rd_kafka_mock_cluster_bootstraps(brokers_));
}

MockCluster::~MockCluster() {
  rd_kafka_destroy(producer_);
  rd_kafka_mock_cluster_destroy(brokers_);
  rd_kafka_destroy(host_);
}

Properties MockCluster::client() const {
  return {{"bootstrap.servers", rd_kafka_mock_cluster_bootstraps(brokers_)},
          {"reconnect.backoff.max.ms", "200"},
          {"topic.metadata.refresh.fast.interval.ms", "50"}};
}

void MockCluster::NewTopic(const std::string& topic, int partitions) {
  rd_kafka_mock_topic_create(brokers_, topic.c_str(), partitions, 1);
}

Job MockCluster::NewTopics(const std::string& name, int partitions, const JobSettings& settings) {
  Job job{.name = name, .id = "0123", .client = client()};
  job.documents = job.documents_topic();
  job.settings = settings.ToJson();
  NewTopic(job.documents, partitions);
  for (const std::string& topic : {job.settings_topic(), job.deltas_topic(), job.snapshots_topic(),
                                   job.feeds_topic(), job.rejected_topic()}) {
    NewTopic(topic, 1);
  }
  return job;
}

Job MockCluster::NewJob(const JobSettings& settings, int partitions) {
  const Job job = NewTopics("job", partitions, settings);
  Send(job.settings_topic(), 0, {{ToStored(job), "settings", ToHeader(ChunkNote{.id = job.id})}});
  return job;
}

void MockCluster::Send(const std::string& topic, int32_t partition,
                       const std::vector<Sent>& messages) {
  for (const Sent& message : messages) {
    rd_kafka_headers_t* headers = rd_kafka_headers_new(1);
    if (!message.header.empty()) {
      rd_kafka_header_add(headers, kNoteHeader, -1, message.header.data(),
                          static_cast<ssize_t>(message.header.size()));
    }
    const auto code = rd_kafka_producev(
        producer_, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(partition),
        RD_KAFKA_V_KEY(message.key.data(), message.key.size()),
        RD_KAFKA_V_VALUE(const_cast<char*>(message.value.data()), message.value.size()),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) throw KafkaError("sending", code);
  }
  constexpr int kTimeout = 30'000;
  const auto code = rd_kafka_flush(producer_, kTimeout);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) throw KafkaError("sending", code);
}

void MockCluster::SendTexts(const std::string& topic, int32_t partition,
                            const std::vector<std::string>& texts) {
  std::vector<Sent> messages;
  for (const std::string& text : texts) messages.push_back({.value = text});
  Send(topic, partition, messages);
}

std::vector<std::string> MockCluster::Notes(const std::string& topic) const {
  Properties properties = client();
  properties["group.id"] = "test";
  Consumer consumer(properties);
  consumer.Assign(topic, 0, kFromBeginning);
  std::vector<std::string> notes;
  while (true) {
    const auto message = consumer.Poll(std::chrono::milliseconds(100));
    if (!message) continue;
    if (message->at_end()) return notes;
    notes.emplace_back(message->header(kNoteHeader));
  }
}

void MockCluster::Answer(Request request, const std::vector<rd_kafka_resp_err_t>& errors) {
  rd_kafka_mock_push_request_errors_array(brokers_, static_cast<int16_t>(request), errors.size(),
                                          errors.data());
}

void MockCluster::AnswerWell(Request request) {
  rd_kafka_mock_clear_request_errors(brokers_, static_cast<int16_t>(request));
}

void MockCluster::SetDown() { rd_kafka_mock_broker_set_down(brokers_, -1); }
void MockCluster::SetUp() { rd_kafka_mock_broker_set_up(brokers_, -1); }

bool Eventually(const std::function<bool()>& is_so, std::chrono::seconds at_most) {
  const auto give_up = std::chrono::steady_clock::now() + at_most;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

JobSettings SmallSettings() {
  JobSettings settings;
  settings.options.topics = 3;
  settings.options.format = "text";
  settings.options.minibatch = 4;
  settings.options.first_minibatch = 4;
  settings.options.minibatch_seconds = 0.1;
  settings.vocabulary = {"apple", "banana", "cherry", "dog", "elephant", "fox"};
  settings.transport = Transport::kDouble;
  return settings.Settled();
}

MockCluster::Sent SentDelta(const Job& job, const DeltaNote& note, const KeyedRows& change) {
  DeltaNote whole = note;
  if (whole.job.empty()) whole.job = job.id;
  if (whole.id.empty()) whole.id = RandomId();
  return {PackDelta(change, {}, Transport::kDouble), whole.id, ToHeader(whole, 0, 1)};
}

KeyedRows OneRow(uint64_t word, double number) {
  KeyedRows change(std::vector<double>(3));
  change.Add(word, std::vector<double>(3, number));
  return change;
}

DeltaNote GoodNote(const Job& job, int64_t from, uint64_t documents) {
  const JobSettings settings = JobSettings::FromJson(job.settings);
  const double half_life = settings.options.half_life;
  return {.job = job.id,
          .id = RandomId(),
          .worker = "w",
          .documents = documents,
          .tokens = 3 * documents,
          .discount = half_life > 0 ? HalfLife(half_life)(0, documents) : 1,
          .offsets = {{0, {from, from + static_cast<int64_t>(documents)}}}};
}

MockCluster::Sent GoodDelta(const Job& job, int64_t from, uint64_t documents, uint64_t word) {
  return SentDelta(job, GoodNote(job, from, documents),
                   OneRow(word, static_cast<double>(documents)));
}

}  // namespace sda::cluster
