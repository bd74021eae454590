#include "topics/share_history.h"

#include <algorithm>
#include <boost/math/distributions/gamma.hpp>
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

// The probability of a difference as large, if there is none, of normal means with an unknown
// variance.
double SurpriseByT(double difference, double variance, double freedom) {
  return boost::math::cdf(
      boost::math::complement(boost::math::students_t(freedom), difference / std::sqrt(variance)));
}

// The probability of a mean as far out as `now` on its side, of a positive mean that is as skewed
// as its variance makes it: a share of which a few documents have all is often small, and then
// large.
double SurpriseByGamma(double mean, double now, double variance) {
  const boost::math::gamma_distribution<double> gamma(mean * mean / variance, variance / mean);
  if (now <= 0) return 0;
  return now > mean ? boost::math::cdf(boost::math::complement(gamma, now))
                    : boost::math::cdf(gamma, now);
}

std::optional<ShareHistory::Change> Compare(const WeightedSpread& before, const WeightedSpread& now,
                                            const ShareHistory::Rules& rules) {
  const double low = std::min(before.mean, now.mean), high = std::max(before.mean, now.mean);
  if (high <= rules.least || high < rules.factor * low) return std::nullopt;
  WeightedSpread both = before;
  both += now;
  const double freedom = before.count + now.count - 2 + kPriorCount;
  const double squares =
      before.squares + now.squares + kPriorCount * both.mean * std::max(0.0, 1 - both.mean);
  const double variance = squares / freedom * (1 / before.weight + 1 / now.weight);
  if (!(variance > 0)) return std::nullopt;
  const double surprise = std::max(SurpriseByT(high - low, variance, freedom),
                                   SurpriseByGamma(both.mean, now.mean, variance));
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
    const auto largest = std::max_element(
        split, recent_.end(), [](const Share& a, const Share& b) { return a.share < b.share; });
    WeightedSpread before = before_, now, but_largest;
    for (auto at = recent_.begin(); at != recent_.end(); ++at) {
      (at < split ? before : now).Add(at->share, at->items);
      if (at >= split && at != largest) but_largest.Add(at->share, at->items);
    }
    if (before.count < static_cast<double>(rules.least_reference)) break;
    if (now.mean > before.mean) {  // one or two very long documents are no growth
      if (but_largest.count < 2) continue;
      now = but_largest;
    }
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
  if (recent.size() > 2 * kRecent || recent.size() % 2 != 0) {
    throw InputError("a history of shares has a wrong length");
  }
  for (size_t i = 0; i < recent.size(); i += 2) {
    history.recent_.push_back({NumberIn(recent[i]), NumberIn(recent[i + 1])});
  }
  return history;
}

}  // namespace sda
