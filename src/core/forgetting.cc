#include "sda/forgetting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "sda/errors.h"

namespace sda {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Half-lives in rounds. Shorter ones than 2 rounds are of no use to any model: a round is learnt
// from as a whole.
constexpr std::array kHalfLives = {kNever, 50.0, 16.0, 5.0, 2.0};

constexpr double kMemory = 7;        // rounds after which evidence counts half
constexpr double kPriorOfNever = 3;  // nats, against each other rate: without evidence these are 0
constexpr double kLeastWeight = 0.05;  // less is none, and its sum need not be read
constexpr double kMostPerItem = 4;     // nats
// That far a rate is behind the best at most, so that after an abrupt change, which a thousand
// items tell of, slower rates can come back within some 30 rounds.
constexpr double kMostBehind = 50;

// A change point: less than this share is kept, and the round itself prefers the new rate, so that
// it is not old evidence that fades.
constexpr double kFall = 0.5;
constexpr double kOneChange = 5;  // rounds: falls within them are one change
constexpr size_t kMostChangePoints = 1000;
constexpr size_t kMostPoints = 1000;

size_t Leader(const std::vector<double>& weights) {
  return std::max_element(weights.begin(), weights.end()) - weights.begin();
}

}  // namespace

ForgettingRates::ForgettingRates(double items_per_round)
    : items_per_round_(items_per_round),
      log_odds_(kHalfLives.size()),
      effective_(kHalfLives.size()),
      weights_(kHalfLives.size()),
      evidence_(kHalfLives.size()) {
  if (!(items_per_round >= 1 && items_per_round <= 1e15)) {
    throw UsageError(fmt::format("a round has {:g} items, must have at least 1 and at most 1e15",
                                 items_per_round));
  }
  UpdateWeights();
  weights_before_ = weights_;
}

double ForgettingRates::half_life_of(size_t rate) const {
  return kHalfLives.at(rate) * items_per_round_;
}

double ForgettingRates::Kept(size_t rate, uint64_t items) const {
  return std::exp2(-static_cast<double>(items) / half_life_of(rate));
}

double ForgettingRates::half_life() const {
  double rate = 0;
  for (size_t i = 0; i < size(); ++i) rate += weights_[i] / half_life_of(i);
  return 1 / rate;
}

double ForgettingRates::effective() const {
  double sum = 0;
  for (size_t i = 0; i < size(); ++i) sum += weights_[i] * effective_[i];
  return sum;
}

void ForgettingRates::UpdateWeights() {
  auto log_weight = [&](size_t i) { return log_odds_[i] + (i == 0 ? kPriorOfNever : 0); };
  double largest = log_weight(0);
  for (size_t i = 1; i < size(); ++i) largest = std::max(largest, log_weight(i));
  auto normalize = [&] {
    double sum = 0;
    for (const double w : weights_) sum += w;
    for (double& w : weights_) w /= sum;
  };
  for (size_t i = 0; i < size(); ++i) weights_[i] = std::exp(log_weight(i) - largest);
  normalize();
  for (double& w : weights_) w = w < kLeastWeight ? 0 : w;
  normalize();
}

void ForgettingRates::Start(uint64_t items) {
  effective_.assign(size(), static_cast<double>(items));
  items_ = round_begin_ = items;
}

void ForgettingRates::Fold(std::span<const double> evidence, uint64_t items) {
  const double before = effective();
  if (!evidence.empty()) {
    if (evidence.size() != size()) throw std::logic_error("evidence for other rates of forgetting");
    const double fading = std::exp2(-static_cast<double>(items) / (kMemory * items_per_round_));
    for (size_t i = 0; i < size(); ++i) {
      log_odds_[i] = fading * log_odds_[i] + evidence[i];
      evidence_[i] += evidence[i];
    }
    const double best = *std::max_element(log_odds_.begin(), log_odds_.end());
    for (double& odds : log_odds_) odds = std::max(odds - best, -kMostBehind);
    UpdateWeights();
  }
  for (size_t i = 0; i < size(); ++i) effective_[i] *= Kept(i, items);
  if (before > 0) kept_ *= effective() / before;
  for (double& sum : effective_) sum += static_cast<double>(items);
  items_ += items;
  if (static_cast<double>(items_ - round_begin_) >= items_per_round_) EndRound();
}

void ForgettingRates::EndRound() {
  const double gain = evidence_[Leader(weights_)] - evidence_[Leader(weights_before_)];
  std::vector<ForgettingHistory::ChangePoint>& changes = history_.change_points;
  if (kept_ < kFall && gain > 0) {
    const bool same = !changes.empty() && static_cast<double>(round_begin_ - changes.back().items) <
                                              kOneChange * items_per_round_;
    if (same) {
      changes.back().kept *= kept_;
    } else if (changes.size() < kMostChangePoints) {
      changes.push_back({round_begin_, kept_});
    }
  }
  std::vector<ForgettingHistory::Point>& points = history_.points;
  const bool joins_last = rounds_in_last_ > 0 && rounds_in_last_ < rounds_together_;
  const double kept = joins_last ? points.back().kept * kept_ : kept_;
  if (joins_last) points.pop_back();
  points.push_back({items_, kept, half_life(), effective()});
  rounds_in_last_ = joins_last ? rounds_in_last_ + 1 : 1;
  if (points.size() == kMostPoints && rounds_in_last_ == rounds_together_) {
    for (size_t i = 0; i < kMostPoints / 2; ++i) {
      points[i] = points[2 * i + 1];
      points[i].kept *= points[2 * i].kept;
    }
    points.resize(kMostPoints / 2);
    rounds_together_ *= 2;
    rounds_in_last_ = rounds_together_;
  }
  round_begin_ = items_;
  kept_ = 1;
  evidence_.assign(size(), 0);
  weights_before_ = weights_;
}

std::vector<double> EvidenceOf(const std::vector<std::vector<double>>& log_predictive) {
  std::vector<double> evidence(log_predictive.size());
  const size_t items = log_predictive.empty() ? 0 : log_predictive[0].size();
  for (size_t i = 0; i < items; ++i) {
    double best = -kNever;
    bool counts = true;
    for (const auto& of_rate : log_predictive) {
      counts = counts && std::isfinite(of_rate.at(i));
      best = std::max(best, of_rate[i]);
    }
    if (!counts) continue;
    for (size_t rate = 0; rate < evidence.size(); ++rate) {
      evidence[rate] -= std::min(best - log_predictive[rate][i], kMostPerItem);
    }
  }
  return evidence;
}

}  // namespace sda
