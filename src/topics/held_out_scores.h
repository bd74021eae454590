#ifndef SDA_TOPICS_HELD_OUT_SCORES_H_
#define SDA_TOPICS_HELD_OUT_SCORES_H_

#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "sda/topic_fit.h"
#include "sda/topics.h"

namespace sda {

// The held-out score of a run along the way: after 1, 2, 4, 8, ... minibatches, so that scoring
// costs little and is done at the same places always.
class HeldOutScores {
 public:
  void SetDocuments(const Documents& documents, SplitRule rule);
  // Counts minibatches after this number, those of a model to continue from.
  void StartAfter(uint64_t minibatches) { start_ = minibatches; }
  bool has_documents() const { return split_ || documents_; }

  void MaybeScore(const TopicSession& session, const Summary& summary);
  // Does nothing without documents.
  void Score(const TopicSession& session, const Summary& summary);

  // From any thread.
  std::optional<double> last() const;

  const std::vector<TopicScore>& curve() const { return curve_; }
  uint64_t test_tokens() const { return test_tokens_; }
  // Half the 95% interval of the last score, over documents.
  double error() const { return error_; }

  nlohmann::json ToJson() const;
  void FromJson(const nlohmann::json& json);

 private:
  std::optional<HeldOutSplit> split_;
  std::optional<Documents> documents_;  // in its place, of a vocabulary that grows
  SplitRule rule_ = SplitRule::kHalfTypes;
  std::vector<TopicScore> curve_;
  uint64_t test_tokens_ = 0;
  double error_ = 0;
  uint64_t start_ = 0;
  uint64_t next_ = 1;  // number of minibatches after start_
  mutable std::mutex mutex_;
  std::optional<double> last_;  // guarded by it
};

}  // namespace sda

#endif  // SDA_TOPICS_HELD_OUT_SCORES_H_
