#include "lda/gibbs/sampled_start.h"

#include <algorithm>

#include "sda/lda_gibbs.h"

namespace sda::lda {
namespace {

// Sampling costs what the tokens cost, VB what the distinct words cost.
constexpr uint64_t kMostSampledTokens = 1 << 24;

// The number of documents, from the first one, that have at most this number of tokens.
size_t DocumentsUpTo(const Documents& documents, uint64_t most) {
  size_t count = 0;
  uint64_t tokens = 0;
  for (; count < documents.size(); ++count) {
    tokens += Tokens(documents, count);
    if (tokens > most) break;
  }
  return count;
}

}  // namespace

KeyedRows SampledStart(const LdaSpec& spec, const SampledStartOptions& options,
                       const Documents& documents, const KeyedRows& prior, uint64_t key,
                       const std::shared_ptr<Backend>& backend) {
  const size_t count = DocumentsUpTo(documents, kMostSampledTokens);
  if (count == 0) return KeyedRows();
  GibbsOptions gibbs;
  gibbs.first_sweeps = options.sweeps;
  gibbs.averaged = std::min(gibbs.averaged, gibbs.first_sweeps);
  gibbs.seed = options.seed;
  gibbs.on_first_sweep = options.on_sweep;
  const LdaGibbs sampler(spec, gibbs, Context(1), backend);
  if (count == documents.size()) return sampler(documents, prior, key);
  return sampler(Slice(documents, 0, count), prior, key);
}

}  // namespace sda::lda
