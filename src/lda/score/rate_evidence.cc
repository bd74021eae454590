#include "lda/score/rate_evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lda/score/held_out_words.h"
#include "lda/score/inference.h"
#include "sda/lda_ep.h"
#include "sda/lda_score.h"

namespace sda::lda {
namespace {

// So that it costs a few per cent of learning.
size_t Scored(size_t documents) {
  constexpr size_t kOneOf = 64;
  return std::min(documents, std::clamp<size_t>(documents / kOneOf, 16, 64));
}

// sum n log sum_k E[theta_k] E[beta_kw] of each document; gamma: the parameters of its theta.
std::vector<double> ScoresOf(const Documents& tested, const std::vector<double>& gamma,
                             const KeyedRows& posterior, uint64_t vocabulary) {
  const size_t topics = posterior.width();
  std::vector<double> per_token(topics);  // E[theta_k] / sum_v lambda_vk
  std::vector<double> scores(tested.size());
  for (size_t d = 0; d < tested.size(); ++d) {
    const double* const mine = gamma.data() + d * topics;
    const double sum = std::accumulate(mine, mine + topics, 0.0);
    for (size_t k = 0; k < topics; ++k) {
      const double mass =
          posterior.totals()[k] + posterior.default_row()[k] * static_cast<double>(vocabulary);
      per_token[k] = mine[k] / (sum * mass);
    }
    for (uint64_t i = tested.offsets[d]; i < tested.offsets[d + 1]; ++i) {
      const auto row = posterior.At(tested.words[i]);
      const double p = std::inner_product(row.begin(), row.end(), per_token.begin(), 0.0);
      scores[d] += tested.counts[i] * std::log(p);
    }
  }
  return scores;
}

}  // namespace

std::vector<double> RateEvidence(const ForgettingStore<KeyedRows>& store,
                                 const Documents& documents, const LdaSpec& spec,
                                 bool may_be_negative) {
  const HeldOutSplit split = SplitHeldOut(Slice(documents, 0, Scored(documents.size())));
  if (split.tested.size() == 0) return {};
  auto now = store.ReadRates(may_be_negative ? KeyedRows::Selection() : WordsOf(split));
  if (!now.learnt) return {};
  if (may_be_negative) {
    RaiseToPositive(spec.eta, spec.vocabulary, &now.posterior);
    for (KeyedRows& sum : now.by_rate) RaiseToPositive(spec.eta, spec.vocabulary, &sum);
  }
  const std::vector<double> gamma =
      InferGamma(now.posterior, split.observed, spec, {}, Context(1), nullptr).gamma;
  std::vector<std::vector<double>> scores;
  for (const KeyedRows& sum : now.by_rate) {
    scores.push_back(ScoresOf(split.tested, gamma, sum, spec.vocabulary));
  }
  return EvidenceOf(scores);
}

}  // namespace sda::lda
