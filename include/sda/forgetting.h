#ifndef SDA_FORGETTING_H_
#define SDA_FORGETTING_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// As the half-life of a session's options: how fast to forget is learnt. --half-life auto on the
// command line, "auto" in JSON.
inline constexpr double kAutoHalfLife = -1;

// What forgetting was learnt, over the stream so far.
struct ForgettingHistory {
  // A round of the stream, or several together in a long one.
  struct Point {
    uint64_t items = 0;    // folded at its end
    double kept = 1;       // share of what counted before that still counts; above 1: regained
    double half_life = 0;  // learnt, in items; infinity: nothing is forgotten
    double effective = 0;  // items that the posterior counts
  };
  // A round that made more than half of the past count no more.
  struct ChangePoint {
    uint64_t items = 0;  // folded before it
    double kept = 0;
  };
  std::vector<Point> points;
  std::vector<ChangePoint> change_points;

  // One JSON object: half_life (null: nothing is forgotten), effective_items, over_time and
  // change_points.
  std::string ToJson() const;
};

// A posterior over rates of forgetting, learnt from how well the past predicts what comes.
//
// The rates are fixed: half-lives of 2, 5, 16 and 50 rounds, and never. Each has a sum of all
// deltas that forgets at this rate (see ForgettingStore). Before a minibatch is learnt from, it is
// predicted under each of the sums, which is the evidence for their rates: log odds add up, and
// fade with a half-life of 7 rounds, so that the rate can change. The posterior of the run is the
// mean of the sums by the probabilities of their rates.
//
// All of it is a function of the minibatches in the order in which they were folded. Evidence adds
// up whoever measured it, so a change that several workers see counts as the one it is.
class ForgettingRates {
 public:
  // Throws UsageError if that is not a number of items of a round.
  explicit ForgettingRates(double items_per_round);

  size_t size() const { return log_odds_.size(); }
  // In items, falling; the first is infinity.
  double half_life_of(size_t rate) const;
  // The share of the past that is kept over that number of items.
  double Kept(size_t rate, uint64_t items) const;

  // The probabilities of the rates; those of next to none are 0. They add up to 1.
  const std::vector<double>& weights() const { return weights_; }
  // The mean of the rates, as a half-life; infinity if nothing is forgotten.
  double half_life() const;
  // Items that the posterior counts.
  double effective() const;

  // A minibatch of `items` is folded; evidence: EvidenceOf() the minibatch, or empty.
  void Fold(std::span<const double> evidence, uint64_t items);
  // All that is there, of an earlier posterior, counts in full.
  void Start(uint64_t items);

  const ForgettingHistory& history() const { return history_; }

  // All of it as JSON, and back, equal bit for bit. Throws InputError.
  std::string Serialize() const;
  static ForgettingRates Deserialize(const std::string& text);

 private:
  void UpdateWeights();
  void EndRound();

  double items_per_round_;
  std::vector<double> log_odds_;   // but the prior's
  std::vector<double> effective_;  // items, by rate
  std::vector<double> weights_;
  uint64_t items_ = 0;  // folded
  // Of the round under way.
  uint64_t round_begin_ = 0;
  double kept_ = 1;
  std::vector<double> evidence_;
  std::vector<double> weights_before_;
  size_t rounds_together_ = 1;  // in a point of the history
  size_t rounds_in_last_ = 0;
  ForgettingHistory history_;
};

// The evidence for each rate, from the log predictive probabilities of single items under each:
// log_predictive[rate][item]. One item that the past does not predict at all is an outlier, a
// thousand are a change: none counts more than a few nats against a rate. Items that are impossible
// or not known under one of them do not count.
std::vector<double> EvidenceOf(const std::vector<std::vector<double>>& log_predictive);

}  // namespace sda

#endif  // SDA_FORGETTING_H_
