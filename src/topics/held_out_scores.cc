#include "topics/held_out_scores.h"

namespace sda {

void HeldOutScores::SetDocuments(const Documents& documents, SplitRule rule) {
  rule_ = rule;
  if (!documents.dictionary.empty()) {
    documents_ = documents;
    return;
  }
  split_ = SplitHeldOut(documents, rule);
  if (split_->tested.size() == 0) split_.reset();
}

void HeldOutScores::MaybeScore(const TopicSession& session, const Summary& summary) {
  const uint64_t minibatches = summary.minibatches - start_;
  if (!has_documents() || summary.finished || minibatches < next_) return;
  next_ = 2 * minibatches;
  Score(session, summary);
}

void HeldOutScores::Score(const TopicSession& session, const Summary& summary) {
  if (!has_documents()) return;
  const LdaScore score = split_ ? session.Score(*split_) : session.Score(*documents_, rule_);
  if (score.test_tokens == 0) return;
  test_tokens_ = score.test_tokens;
  error_ = 1.96 * StandardError(score.of_documents);
  curve_.push_back({summary.counts.items, summary.seconds, score.log_predictive});
  std::lock_guard lock(mutex_);
  last_ = score.log_predictive;
}

std::optional<double> HeldOutScores::last() const {
  std::lock_guard lock(mutex_);
  return last_;
}

nlohmann::json HeldOutScores::ToJson() const {
  nlohmann::json curve = nlohmann::json::array();
  for (const TopicScore& s : curve_) curve.push_back({s.documents, s.seconds, s.log_predictive});
  return {{"start", start_}, {"next", next_}, {"test_tokens", test_tokens_}, {"curve", curve}};
}

void HeldOutScores::FromJson(const nlohmann::json& json) {
  start_ = json.at("start").get<uint64_t>();
  next_ = json.at("next").get<uint64_t>();
  test_tokens_ = json.at("test_tokens").get<uint64_t>();
  curve_.clear();
  for (const auto& s : json.at("curve")) {
    curve_.push_back({s.at(0).get<uint64_t>(), s.at(1).get<double>(), s.at(2).get<double>()});
  }
  std::lock_guard lock(mutex_);
  if (!curve_.empty()) last_ = curve_.back().log_predictive;
}

}  // namespace sda
