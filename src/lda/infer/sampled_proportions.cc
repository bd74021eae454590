#include "lda/infer/sampled_proportions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lda/infer/document_sampler.h"

namespace sda::lda {
namespace {

constexpr int kBurnIn = 8;  // one of so many sweeps, before those that count

// How often each number of tokens was seen.
std::vector<BetaMixture::Part> Parts(std::vector<uint32_t> seen, int sweeps) {
  std::sort(seen.begin(), seen.end());
  std::vector<BetaMixture::Part> parts;
  const double one = 1.0 / sweeps;
  const double without = 1 - static_cast<double>(seen.size()) * one;
  if (static_cast<int>(seen.size()) < sweeps) parts.push_back({0, without});
  for (const uint32_t n : seen) {
    if (parts.empty() || parts.back().n != n) parts.push_back({n, 0});
    parts.back().weight += one;
  }
  return parts;
}

}  // namespace

bool SampledProportions::Can(const KnownDocument& document) {
  return document.tokens <= kMaxTokens &&
         std::all_of(document.counts.begin(), document.counts.end(),
                     [](double count) { return count == std::floor(count); });
}

SampledProportions::SampledProportions(const KnownTopics& topics, const KnownDocument& document,
                                       std::span<const double> gamma, int sweeps)
    : topics_(topics), tokens_(document.tokens), sweeps_(sweeps), seen_(topics.topics()) {
  DocumentSampler sampler(topics, document, gamma);
  const int burn_in = sweeps_ / kBurnIn;
  for (int sweep = -burn_in; sweep < sweeps_; ++sweep) {
    sampler.Sweep();
    if (sweep < 0) continue;
    for (const uint32_t k : sampler.used()) seen_[k].push_back(sampler.tokens(k));
  }
}

double SampledProportions::Mean(size_t topic) const {
  const double tokens = std::accumulate(seen_[topic].begin(), seen_[topic].end(), 0.0) / sweeps_;
  return (topics_.alpha[topic] + tokens) / (topics_.alpha_sum + tokens_);
}

BetaMixture SampledProportions::Posterior(size_t topic) const {
  const double alpha = topics_.alpha[topic];
  const double others = topics_.alpha_sum - alpha;
  if (!(others > 0)) return {1, 0};  // the only topic
  return {alpha, others + tokens_, Parts(seen_[topic], sweeps_)};
}

}  // namespace sda::lda
