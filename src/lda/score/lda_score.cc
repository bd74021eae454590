#include "sda/lda_score.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/hash.h"
#include "lda/score/inference.h"
#include "lda/topic_rows.h"
#include "sda/errors.h"

namespace sda {
namespace {

constexpr uint64_t kSplitSeed = 1;

// Marks the observed ones of a document's words (ids from 0, ascending).
std::vector<bool> Observed(std::span<const uint32_t> words, uint64_t number, SplitRule rule) {
  std::vector<bool> observed(words.size());
  if (rule == SplitRule::kAlternate) {
    for (size_t i = 0; i < words.size(); i += 2) observed[i] = true;
    return observed;
  }
  std::vector<std::pair<uint64_t, size_t>> order;
  for (size_t i = 0; i < words.size(); ++i) {
    order.emplace_back(Key(kSplitSeed + number, 3, uint64_t{words[i]} + 1), i);
  }
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < (words.size() + 1) / 2; ++i) observed[order[i].second] = true;
  return observed;
}

// sum_v n_v log sum_k E[theta_k] E[beta_kv] of one document.
double LogPredictiveOf(std::span<const double> gamma, const Documents& documents, size_t d,
                       const KeyedRows& posterior, const std::vector<double>& sums) {
  const double gamma_sum = std::accumulate(gamma.begin(), gamma.end(), 0.0);
  double total = 0;
  for (uint64_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
    const auto lambda = posterior.At(documents.words[i]);
    double probability = 0;
    for (size_t k = 0; k < gamma.size(); ++k) probability += gamma[k] * (lambda[k] / sums[k]);
    total += documents.weight(i) * std::log(probability / gamma_sum);
  }
  return total;
}

}  // namespace

HeldOutSplit SplitHeldOut(const Documents& documents, SplitRule rule) {
  if (documents.numbers.size() != documents.size()) {
    throw InputError("documents has " + std::to_string(documents.numbers.size()) +
                     " numbers, must have " + std::to_string(documents.size()));
  }
  HeldOutSplit split;
  for (size_t d = 0; d < documents.size(); ++d) {
    const uint64_t begin = documents.offsets[d];
    const size_t size = documents.offsets[d + 1] - begin;
    if (size < 2) continue;
    const auto observed =
        Observed({documents.words.data() + begin, size}, documents.numbers[d], rule);
    for (size_t i = 0; i < size; ++i) {
      Documents& side = observed[i] ? split.observed : split.tested;
      side.words.push_back(documents.words[begin + i]);
      side.counts.push_back(documents.counts[begin + i]);
      if (!documents.weights.empty()) side.weights.push_back(documents.weights[begin + i]);
    }
    for (Documents* side : {&split.observed, &split.tested}) {
      side->offsets.push_back(side->words.size());
      side->numbers.push_back(documents.numbers[d]);
    }
  }
  return split;
}

double StandardError(const std::vector<Prediction>& of_documents) {
  const auto documents = static_cast<double>(of_documents.size());
  if (documents < 2) return 0;
  double log_sum = 0, tested = 0;
  for (const Prediction& p : of_documents) {
    log_sum += p.log_sum;
    tested += static_cast<double>(p.tested);
  }
  // Of a ratio of two means, by its first derivatives.
  double squares = 0;
  for (const Prediction& p : of_documents) {
    const double residual = p.log_sum - log_sum / tested * static_cast<double>(p.tested);
    squares += residual * residual;
  }
  return std::sqrt(squares * documents / (documents - 1)) / tested;
}

LdaScore LogPredictive(const KeyedRows& posterior, const HeldOutSplit& split, const LdaSpec& spec,
                       const Context& context, double tolerance, int updates,
                       const std::shared_ptr<lda::Backend>& backend) {
  const auto inferred = lda::InferGamma(posterior, split.observed, spec,
                                        {Precision::kDouble, tolerance, updates}, context, backend);

  const Documents& tested = split.tested;
  const size_t topics = spec.topics;
  const std::vector<double> sums = lda::TopicSums(posterior, spec.vocabulary);
  std::vector<double> scores(tested.size());
  context.pool()->ParallelFor(tested.size(), [&](size_t d) {
    scores[d] =
        LogPredictiveOf({inferred.gamma.data() + d * topics, topics}, tested, d, posterior, sums);
  });
  LdaScore score;
  for (size_t d = 0; d < scores.size(); ++d) {
    score.of_documents.push_back({.log_sum = scores[d], .tested = Tokens(tested, d)});
  }
  score.documents = tested.size();
  score.test_tokens = Tokens(tested);
  const double weight = std::accumulate(tested.weights.begin(), tested.weights.end(), 0.0);
  score.log_predictive = std::accumulate(scores.begin(), scores.end(), 0.0) /
                         (tested.weights.empty() ? static_cast<double>(score.test_tokens) : weight);
  score.local_updates = inferred.updates;
  score.unconverged_documents = inferred.unconverged;
  return score;
}

}  // namespace sda
