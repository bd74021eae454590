#include "lda/gibbs/sampled_start.h"

#include <algorithm>

#include "sda/lda_gibbs.h"

namespace sda::lda {
namespace {

// Sampling costs what the tokens cost, VB what the distinct words cost.
constexpr uint64_t kMostSampledTokens = 1 << 24;

// The first documents, up to so many tokens.
Documents FirstTokens(const Documents& documents, uint64_t most) {
  size_t count = 0;
  uint64_t tokens = 0;
  for (; count < documents.size(); ++count) {
    for (uint64_t i = documents.offsets[count]; i < documents.offsets[count + 1]; ++i) {
      tokens += documents.counts[i];
    }
    if (tokens > most) break;
  }
  Documents part;
  part.minibatch = documents.minibatch;
  part.offsets.assign(documents.offsets.begin(), documents.offsets.begin() + count + 1);
  part.words.assign(documents.words.begin(), documents.words.begin() + part.offsets.back());
  part.counts.assign(documents.counts.begin(), documents.counts.begin() + part.offsets.back());
  part.numbers.assign(documents.numbers.begin(), documents.numbers.begin() + count);
  return part;
}

}  // namespace

KeyedRows SampledStart(const LdaOptions& options, const Documents& documents,
                       const KeyedRows& prior) {
  const Documents part = FirstTokens(documents, kMostSampledTokens);
  if (part.size() == 0) return KeyedRows();
  LdaGibbsOptions gibbs;
  gibbs.topics = options.topics;
  gibbs.vocabulary = options.vocabulary;
  gibbs.alpha = options.Alpha();
  gibbs.first_sweeps = options.start_sweeps;
  gibbs.averaged = std::min(gibbs.averaged, gibbs.first_sweeps);
  gibbs.seed = options.seed;
  gibbs.threads = options.threads;
  gibbs.on_first_sweep = options.on_start_sweep;
  return LdaGibbs(gibbs)(part, prior);
}

}  // namespace sda::lda
