#include "sda/lda_topics.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "lda/score/inference.h"
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

}  // namespace

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
      topics[k].top_words.push_back({word, DirichletMarginal(lambda, sums[k])});
    }
  }
  std::stable_sort(topics.begin(), topics.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return topics;
}

std::vector<DocumentTopics> InferTopics(const KeyedRows& posterior, const Documents& documents,
                                        const LdaSpec& spec, const Context& context, size_t most,
                                        const LocalVbOptions& local,
                                        const std::shared_ptr<lda::Backend>& backend) {
  const std::vector<double> gamma =
      lda::InferGamma(posterior, documents, spec, local, context, backend).gamma;
  const size_t topics = spec.topics;
  std::vector<DocumentTopics> result(documents.size());
  context.pool()->ParallelFor(documents.size(), [&](size_t d) {
    const std::span<const double> row(gamma.data() + d * topics, topics);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    Ranked ranked;
    for (size_t k = 0; k < topics; ++k) ranked.emplace_back(row[k], k);
    KeepLargest(most == 0 ? topics : most, &ranked);
    if (d < documents.numbers.size()) result[d].number = documents.numbers[d];
    for (const auto& [value, topic] : ranked) {
      result[d].topics.push_back({topic, DirichletMarginal(value, sum)});
    }
  });
  return result;
}

}  // namespace sda
