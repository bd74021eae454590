#include "topics/share_history.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "sda/errors.h"

namespace sda {
namespace {

using nlohmann::json;

// The variance that a share of documents has if each is of one topic alone: a share of tokens has
// less. It counts as much as this number of minibatches, so that a few that happen to be equal do
// not make every other one a surprise.
constexpr double kPriorCount = 2;

std::optional<ShareHistory::Change> Compare(const WeightedSpread& before, const WeightedSpread& now,
                                            const ShareHistory::Rules& rules) {
  const double low = std::min(before.mean, now.mean), high = std::max(before.mean, now.mean);
  if (high <= rules.least || high < rules.factor * low) return std::nullopt;
  WeightedSpread both = before;
  both += now;
  const double freedom = before.count + now.count - 2 + kPriorCount;
  const double squares =
      before.squares + now.squares + kPriorCount * both.mean * std::max(0.0, 1 - both.mean);
  const double deviation = std::sqrt(squares / freedom * (1 / before.weight + 1 / now.weight));
  if (!(deviation > 0)) return std::nullopt;
  const double surprise = boost::math::cdf(
      boost::math::complement(boost::math::students_t(freedom), (high - low) / deviation));
  if (!(surprise <= rules.surprise)) return std::nullopt;
  return ShareHistory::Change{before.mean, now.mean, 1 - surprise};
}

double NumberIn(const json& value) {
  const double number = value.get<double>();
  if (!std::isfinite(number) || number < 0) throw InputError("a share is " + value.dump());
  return number;
}

}  // namespace

WeightedSpread& WeightedSpread::operator+=(const WeightedSpread& other) {
  if (other.weight == 0) return *this;
  const double together = weight + other.weight;
  const double difference = other.mean - mean;
  mean += difference * other.weight / together;
  squares += other.squares + difference * difference * weight * other.weight / together;
  weight = together;
  count += other.count;
  return *this;
}

void ShareHistory::Add(double share, double items) {
  recent_.push_back({share, items});
  if (recent_.size() <= kRecent) return;
  before_.Add(recent_.front().share, recent_.front().items);
  recent_.pop_front();
}

std::optional<ShareHistory::Change> ShareHistory::TakeChange(const Rules& rules) {
  for (size_t last = 1; last <= recent_.size(); last *= 2) {
    const auto split = recent_.end() - static_cast<std::ptrdiff_t>(last);
    WeightedSpread before = before_, now;
    for (auto at = recent_.begin(); at != recent_.end(); ++at) {
      (at < split ? before : now).Add(at->share, at->items);
    }
    if (before.count < static_cast<double>(rules.least_reference)) break;
    if (const auto change = Compare(before, now, rules)) {
      recent_.erase(recent_.begin(), split);
      before_ = {};
      return change;
    }
  }
  return std::nullopt;
}

json ShareHistory::ToJson() const {
  json recent = json::array();
  for (const Share& share : recent_) {
    recent.push_back(share.share);
    recent.push_back(share.items);
  }
  return {{"before", {before_.count, before_.weight, before_.mean, before_.squares}},
          {"recent", std::move(recent)}};
}

ShareHistory ShareHistory::FromJson(const json& json) {
  ShareHistory history;
  const auto& before = json.at("before");
  history.before_ = {NumberIn(before.at(0)), NumberIn(before.at(1)), NumberIn(before.at(2)),
                     NumberIn(before.at(3))};
  const auto& recent = json.at("recent");
  if (recent.size() > 2 * kRecent) throw InputError("a history of shares is too long");
  for (size_t i = 0; i + 1 < recent.size(); i += 2) {
    history.recent_.push_back({NumberIn(recent[i]), NumberIn(recent[i + 1])});
  }
  return history;
}

}  // namespace sda
