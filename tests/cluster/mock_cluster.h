#ifndef SDA_TESTS_CLUSTER_MOCK_CLUSTER_H_
#define SDA_TESTS_CLUSTER_MOCK_CLUSTER_H_

#include <librdkafka/rdkafka.h>
// Needs the one above.
#include <librdkafka/rdkafka_mock.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cluster/job.h"
#include "cluster/job_settings.h"
#include "cluster/kafka/kafka.h"
#include "cluster/log/note.h"
#include "sda/context.h"
#include "sda/keyed_rows.h"

namespace sda::cluster {

// Requests of Kafka's protocol whose answers can be made errors.
enum class Request : int16_t {
  kProduce = 0,
  kFetch = 1,
  kListOffsets = 2,
  kOffsetFetch = 9,
  kFindCoordinator = 10,
  kJoinGroup = 11,
  kHeartbeat = 12,
  kSyncGroup = 14,
  kInitProducerId = 22,
  kAddOffsetsToTxn = 25,
  kEndTxn = 26,
  kTxnOffsetCommit = 28,
};

// The brokers that librdkafka brings for tests, in this process. They have no admin requests (no
// topic can be made, trimmed or deleted by a client), ignore that a transaction was aborted, and do
// not remember the offsets that a transaction commits: the log does.
class MockCluster {
 public:
  MockCluster();
  ~MockCluster();
  MockCluster(const MockCluster&) = delete;
  MockCluster& operator=(const MockCluster&) = delete;

  Properties client() const;

  // A job with all its topics and these settings, as CreateJob() leaves it.
  Job NewJob(const JobSettings& settings, int partitions);
  // The topics alone: no settings are stored.
  Job NewTopics(const std::string& name, int partitions, const JobSettings& settings = {});
  void NewTopic(const std::string& topic, int partitions);

  struct Sent {
    std::string value;
    std::string key;
    std::string header;  // of notes; empty: none
  };
  void Send(const std::string& topic, int32_t partition, const std::vector<Sent>& messages);
  void SendTexts(const std::string& topic, int32_t partition,
                 const std::vector<std::string>& texts);
  // The notes of all messages of a topic's partition 0 now, in their order.
  std::vector<std::string> Notes(const std::string& topic) const;

  // The next answers to requests of this kind.
  void Answer(Request request, const std::vector<rd_kafka_resp_err_t>& errors);
  // No request of this kind is answered as an error any more.
  void AnswerWell(Request request);
  // All brokers.
  void SetDown();
  void SetUp();

 private:
  rd_kafka_t* host_;  // of the brokers
  rd_kafka_mock_cluster_t* brokers_;
  rd_kafka_t* producer_;  // without transactions, whose answers tests make errors
};

// Lines logged by what is tested, from any thread; and the context that collects them.
class CollectedLog {
 public:
  Context context(int threads = 1) {
    return Context(threads, {}, [this](const std::string& line) {
      std::lock_guard lock(mutex_);
      text_ += line + "\n";
    });
  }
  std::string text() const {
    std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

// Waits until it is so, at most that long. Whether it is.
bool Eventually(const std::function<bool()>& is_so,
                std::chrono::seconds at_most = std::chrono::seconds(60));

// Three topics, given words, minibatches of a few texts.
JobSettings SmallSettings();

// A delta of three topics with this note, whether a worker would write it or not.
MockCluster::Sent SentDelta(const Job& job, const DeltaNote& note, const KeyedRows& change);
// The change of a minibatch: adds `number` to one word's row.
KeyedRows OneRow(uint64_t word, double number);
// The note, or all, of a delta of the documents [from, from + documents) of partition 0, each of
// which is three times one word, once in each topic.
DeltaNote GoodNote(const Job& job, int64_t from, uint64_t documents);
MockCluster::Sent GoodDelta(const Job& job, int64_t from, uint64_t documents, uint64_t word = 1);

}  // namespace sda::cluster

#endif  // SDA_TESTS_CLUSTER_MOCK_CLUSTER_H_
