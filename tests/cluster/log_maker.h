#ifndef SDA_TESTS_CLUSTER_LOG_MAKER_H_
#define SDA_TESTS_CLUSTER_LOG_MAKER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "cluster/job.h"
#include "cluster/job_settings.h"
#include "cluster/log/body.h"
#include "cluster/log/checked_log.h"
#include "cluster/log/log_rules.h"
#include "cluster/log/note.h"
#include "tests/cluster/mock_cluster.h"

namespace sda::cluster {

// Messages of the log of a small job, as its workers write them, without a broker.
class LogMaker {
 public:
  explicit LogMaker(uint64_t minibatch = 4, const JobSettings& settings = SmallSettings())
      : rules_(LogRules::Of(Job{.name = "job", .id = "0123"}, settings)) {
    rules_.minibatch = rules_.first_minibatch = minibatch;
  }

  const LogRules& rules() const { return rules_; }
  LogQuestions questions() const {
    return {.end_of = [](int32_t partition, int64_t) { return partition < 4 ? kEnd : -1; },
            .end_of_log = [](int64_t) { return kEnd; },
            .expect_same_version = [] {}};
  }
  static constexpr int64_t kEnd = 1'000'000;

  // Of the next documents of partition 0, of three words each; not all offsets are documents.
  DeltaNote Note(uint64_t documents) {
    const int64_t from = next_;
    next_ += 2 * static_cast<int64_t>(documents);
    return {.job = rules_.job,
            .id = "delta" + std::to_string(from),
            .worker = "w",
            .documents = documents,
            .tokens = 3 * documents,
            .offsets = {{0, {from, next_}}}};
  }
  // The texts live as long as this.
  LogMessage Message(const DeltaNote& note, int64_t offset, int64_t milliseconds = 1000) {
    return Message(note, OneRow(1, static_cast<double>(note.tokens) / 3), offset, milliseconds);
  }
  LogMessage Message(const DeltaNote& note, const KeyedRows& change, int64_t offset,
                     int64_t milliseconds = 1000) {
    return Message(ToHeader(note, 0, 1), PackDelta(change, words, Transport::kDouble), offset,
                   milliseconds);
  }
  LogMessage Message(std::string header, std::string value, int64_t offset,
                     int64_t milliseconds = 1000) {
    texts_.push_back(std::move(header));
    const std::string& kept = texts_.back();
    texts_.push_back(std::move(value));
    return {kept, texts_.back(), offset, milliseconds};
  }

  std::vector<std::string> words;  // that a delta has

 private:
  LogRules rules_;
  int64_t next_ = 0;
  std::deque<std::string> texts_;
};

}  // namespace sda::cluster

#endif  // SDA_TESTS_CLUSTER_LOG_MAKER_H_
