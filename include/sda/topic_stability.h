#ifndef SDA_TOPIC_STABILITY_H_
#define SDA_TOPIC_STABILITY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sda/export.h"
#include "sda/keyed_rows.h"

namespace SDA_EXPORT sda {

// A topic is found again by another run if its words and those of the topic that it is matched with
// have at least this cosine.
inline constexpr double kFoundAgain = 0.9;

// Which topics of a model other runs of the same fit found too, which differ in their seed alone.
struct TopicStability {
  uint64_t runs = 0;               // that of the model included
  std::vector<uint64_t> found_by;  // by topic: of these, also with that of the model: 1 to runs
  std::vector<double> cosine;  // by topic: mean over the other runs, each with its matched topic

  bool operator==(const TopicStability&) const = default;
};

// A topic of another posterior, and how alike the words of the two are.
struct TopicMatch {
  size_t topic = 0;
  double cosine = 0;  // of the probabilities of the words, 0 to 1
};

// For each topic of `ours` one of `theirs`, no two the same, with the largest sum of cosines. Both
// have the same number of topics, and the same words 0 to vocabulary - 1.
std::vector<TopicMatch> MatchTopics(const KeyedRows& ours, const KeyedRows& theirs,
                                    uint64_t vocabulary);

// From the matches of each of the other runs, by topic of the model.
TopicStability StabilityFrom(size_t topics, const std::vector<std::vector<TopicMatch>>& other_runs);

}  // namespace sda

#endif  // SDA_TOPIC_STABILITY_H_
