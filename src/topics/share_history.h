#ifndef SDA_TOPICS_SHARE_HISTORY_H_
#define SDA_TOPICS_SHARE_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>

namespace sda {

// The mean of weighted numbers, and how they spread around it.
struct WeightedSpread {
  double count = 0;
  double weight = 0;
  double mean = 0;
  double squares = 0;  // the sum of weight * (number - mean)^2

  void Add(double number, double its_weight) { *this += {1, its_weight, number, 0}; }
  WeightedSpread& operator+=(const WeightedSpread& other);
};

// A share of something in one minibatch after the other, and whether it has changed.
//
// The last 1, 2, 4, ... minibatches are compared with all before them. Both sides have one variance
// per item, which is learnt from the shares themselves: how much a share of this stream varies
// without a change, its documents say. The difference of the two means then has a t distribution.
// Since shares are skewed, and the more so the fewer documents have any, a change must be as
// improbable by a gamma distribution of this variance. And since one document can be a large part
// of a minibatch, growth must show without the largest share as well.
class ShareHistory {
 public:
  struct Change {
    double before = 0;
    double now = 0;
    double probability = 0;  // that the mean has moved in this direction
  };
  // What counts as a change.
  struct Rules {
    double factor = 1.5;         // between the two means, at least
    double least = 0;            // of the larger of them
    double surprise = 1e-7;      // the probability of the other direction, at most
    size_t least_reference = 6;  // minibatches to compare with
  };

  void Add(double share, double items);
  // The change that the last minibatch completed, of the fewest minibatches that show one. After
  // it, only the minibatches since the change are compared with.
  std::optional<Change> TakeChange(const Rules& rules);

  nlohmann::json ToJson() const;
  static ShareHistory FromJson(const nlohmann::json& json);

 private:
  static constexpr size_t kRecent = 32;
  struct Share {
    double share = 0;
    double items = 0;
  };

  WeightedSpread before_;  // of those that are not in recent_
  std::deque<Share> recent_;
};

}  // namespace sda

#endif  // SDA_TOPICS_SHARE_HISTORY_H_
