#include "sda/lda_topics.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "lda/topic_rows.h"
#include "models/estimates.h"

namespace sda {
namespace {

// Of one coordinate of Dirichlet(a), a having that sum: Beta(a_i, sum - a_i).
Estimate DirichletMarginal(double a, double sum) {
  if (!(a < sum)) return {"", 1, 0, 1, 1};  // the only coordinate
  return BetaEstimate("", a, sum - a);
}

// The `most` largest of (value, id), the smaller id first among equals.
using Ranked = std::vector<std::pair<double, uint64_t>>;
void KeepLargest(size_t most, Ranked* ranked) {
  const auto before = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  most = std::min(most, ranked->size());
  std::partial_sort(ranked->begin(), ranked->begin() + most, ranked->end(), before);
  ranked->resize(most);
}

// A standard deviation above half of the mean, where that of a Dirichlet is not the reason. Found
// by simulation (docs/uncertainty.md).
constexpr double kSmallestShape = 4;
constexpr double kLeastVariance = 0.1;  // of lambda, whose own variance is about lambda

}  // namespace

WordProbability ProbabilityOf(double lambda, double sum, double variance) {
  if (!(lambda < sum) || !(variance > 0)) {
    return {lambda, std::max(0.0, sum - lambda), false};
  }
  const double mean = lambda / sum;
  const double most = mean * (1 - mean);  // which no variance of a probability reaches
  const double both = std::min(most / (sum + 1) + variance / (sum * sum), 0.99 * most);
  const double size = most / both - 1;
  const bool approximate = mean * size < kSmallestShape && variance > kLeastVariance * lambda;
  return {mean * size, (1 - mean) * size, approximate};
}

WordProbability ProbabilityOf(const KeyedRows& posterior, uint64_t word, size_t topic, double sum) {
  const std::span<const double> variances = posterior.variances().At(word);
  return ProbabilityOf(posterior.At(word)[topic], sum, variances.empty() ? 0 : variances[topic]);
}

std::vector<TopicSummary> SummarizeTopics(const KeyedRows& posterior, const LdaSpec& spec,
                                          size_t words) {
  spec.Validate();
  const std::vector<double> sums = lda::TopicSums(posterior, spec.vocabulary);
  const auto totals = posterior.totals();
  const double all = std::accumulate(totals.begin(), totals.end(), 0.0);
  std::vector<TopicSummary> topics(spec.topics);
  for (size_t k = 0; k < topics.size(); ++k) {
    topics[k].topic = k;
    topics[k].share = all > 0 ? totals[k] / all : 1.0 / spec.topics;
    Ranked ranked;
    ranked.reserve(posterior.rows());
    for (size_t r = 0; r < posterior.rows(); ++r) {
      ranked.emplace_back(posterior.row(r)[k], posterior.key(r));
    }
    KeepLargest(words, &ranked);
    for (const auto& [lambda, word] : ranked) {
      const WordProbability p = ProbabilityOf(posterior, word, k, sums[k]);
      topics[k].top_words.push_back({word, DirichletMarginal(p.a, p.a + p.b)});
      topics[k].top_words.back().probability.approximate = p.approximate;
    }
  }
  std::stable_sort(topics.begin(), topics.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return topics;
}

}  // namespace sda
