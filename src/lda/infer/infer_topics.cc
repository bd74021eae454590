#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lda/infer/beta_mixture.h"
#include "lda/infer/known_topics.h"
#include "lda/infer/linear_response.h"
#include "lda/infer/sampled_proportions.h"
#include "lda/score/inference.h"
#include "lda/topic_rows.h"
#include "sda/errors.h"
#include "sda/lda_topics.h"

namespace sda {
namespace {

// The `most` topics with the largest means, the smaller number first among equals.
template <class Proportions>
std::vector<TopicShare> Largest(const Proportions& proportions, size_t topics, size_t most,
                                double level) {
  std::vector<std::pair<double, size_t>> ranked;
  for (size_t k = 0; k < topics; ++k) ranked.emplace_back(-proportions.Mean(k), k);
  const size_t kept = most == 0 ? topics : std::min(most, topics);
  std::partial_sort(ranked.begin(), ranked.begin() + kept, ranked.end());
  std::vector<TopicShare> shares;
  lda::BetaMixture last;  // of topics that have no token there are many, which have the same
  for (size_t i = 0; i < kept; ++i) {
    const size_t k = ranked[i].second;
    lda::BetaMixture posterior = proportions.Posterior(k);
    const bool same = i > 0 && posterior == last;
    shares.push_back({k, same ? shares.back().proportion : posterior.Summary(level)});
    last = std::move(posterior);
  }
  return shares;
}

void Infer(const lda::KnownTopics& topics, const lda::KnownDocument& document,
           std::span<const double> gamma, size_t most, const InferOptions& options,
           DocumentTopics* result) {
  const bool sampled =
      options.intervals == ProportionIntervals::kSampled && lda::SampledProportions::Can(document);
  if (sampled) {
    const lda::SampledProportions proportions(topics, document, gamma, options.sweeps);
    result->intervals = ProportionIntervals::kSampled;
    result->topics = Largest(proportions, topics.topics(), most, options.level);
  } else {
    const lda::LinearResponse proportions(topics, document, gamma);
    result->intervals = ProportionIntervals::kLinearResponse;
    result->topics = Largest(proportions, topics.topics(), most, options.level);
    const bool few = document.tokens > 0 && document.tokens < lda::LinearResponse::kEnoughTokens;
    for (TopicShare& share : result->topics) share.proportion.approximate = few;
  }
  if (options.approximate_topics) {
    for (TopicShare& share : result->topics) share.proportion.approximate = true;
  }
}

}  // namespace

const char* NameOf(ProportionIntervals intervals) {
  return intervals == ProportionIntervals::kSampled ? "sampled" : "linear-response";
}

ProportionIntervals ProportionIntervalsNamed(const std::string& name) {
  for (const auto kind : {ProportionIntervals::kSampled, ProportionIntervals::kLinearResponse}) {
    if (name == NameOf(kind)) return kind;
  }
  throw UsageError("intervals is " + name + ", must be one of sampled, linear-response");
}

void InferOptions::Validate() const {
  local.Validate();
  if (sweeps < 1) {
    throw UsageError("sweeps is " + std::to_string(sweeps) + ", must be at least 1");
  }
  if (!(level > 0 && level < 1)) {
    throw UsageError(fmt::format("level is {}, must be between 0 and 1", level));
  }
}

std::vector<DocumentTopics> InferTopics(const KeyedRows& posterior, const Documents& documents,
                                        const LdaSpec& spec, const Context& context, size_t most,
                                        const InferOptions& options,
                                        const std::shared_ptr<lda::Backend>& backend) {
  options.Validate();
  const std::vector<double> gamma =
      lda::InferGamma(posterior, documents, spec, options.local, context, backend).gamma;
  lda::KnownTopics topics{posterior, spec.Alpha(), lda::TopicSums(posterior, spec.vocabulary), 0};
  topics.alpha_sum = std::accumulate(topics.alpha.begin(), topics.alpha.end(), 0.0);
  std::vector<DocumentTopics> result(documents.size());
  context.pool()->ParallelFor(documents.size(), [&](size_t d) {
    if (d < documents.numbers.size()) result[d].number = documents.numbers[d];
    Infer(topics, lda::KnownDocument(documents, d, topics),
          {gamma.data() + d * topics.topics(), topics.topics()}, most, options, &result[d]);
  });
  return result;
}

}  // namespace sda
