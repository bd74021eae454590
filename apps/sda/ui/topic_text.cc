#include "ui/topic_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"

namespace sda {

std::string TopicSearchText(const TopicSearch& search) {
  if (search.candidates.empty()) {
    return fmt::format("{}: there were too few documents to compare numbers of topics\n",
                       Plural(search.topics, "topic", "topics"));
  }
  std::string text = fmt::format(
      "{} chosen in {:.1f} s, by the score per token of {} of the first documents:\n",
      Plural(search.topics, "topic was", "topics were"), search.seconds, Grouped(search.documents));
  for (const TopicCandidate& c : search.candidates) {
    text += fmt::format("{} {:>5} {:<6}  {:.4f} [{:.4f}, {:.4f}]",
                        c.topics == search.topics ? "*" : " ", c.topics,
                        c.topics == 1 ? "topic" : "topics", c.score, c.lower, c.upper);
    if (c.below_best > 0) {
      text += fmt::format("  {:.4f} below the best, +/- {:.4f}", c.below_best, c.below_best_error);
    }
    text += "\n";
  }
  return text;
}

std::string CoherenceNumber(double npmi) {
  return fmt::format("{:.2f}", std::round(100 * npmi) / 100 + 0.0);  // -0.0 + 0.0 is 0.0
}

std::string CoherenceText(const TopicCoherence& coherence) {
  std::vector<double> known;
  std::copy_if(coherence.npmi.begin(), coherence.npmi.end(), std::back_inserter(known),
               [](double value) { return !std::isnan(value); });
  if (known.empty()) return "";
  std::nth_element(known.begin(), known.begin() + known.size() / 2, known.end());
  return fmt::format(
      "median coherence {} (NPMI of the top {} words of each topic, in a sample of {}{})\n",
      CoherenceNumber(known[known.size() / 2]), coherence.words,
      Plural(coherence.documents, "document", "documents"),
      coherence.all_sampled ? "" : " from the later part of the stream");
}

std::string StabilityText(const TopicStability& stability) {
  const auto& found = stability.found_by;
  const auto all = std::count(found.begin(), found.end(), stability.runs);
  const auto alone = std::count(found.begin(), found.end(), uint64_t{1});
  return fmt::format(
      "{} of {} found by {} runs, {} by the first alone (found: a topic with cosine {} or more)\n",
      all, Plural(found.size(), "topic", "topics"),
      stability.runs == 2 ? "both" : fmt::format("all {}", stability.runs), alone, kFoundAgain);
}

}  // namespace sda
