#include "lda/gibbs/sampled_start.h"

#include <algorithm>

#include "sda/lda_gibbs.h"

namespace sda::lda {
namespace {

// Sampling costs what the tokens cost, VB what the distinct words cost.
constexpr uint64_t kMostDraws = 1 << 24;

// The number of documents, from the first one, that have at most this number of draws.
size_t DocumentsUpTo(const Documents& documents, uint64_t most) {
  size_t count = 0;
  uint64_t draws = 0;
  for (; count < documents.size(); ++count) {
    draws += Draws(documents, count);
    if (draws > most) break;
  }
  return count;
}

}  // namespace

KeyedRows SampledStart(const LdaSpec& spec, const SampledStartOptions& options,
                       const Documents& documents, const KeyedRows& prior, uint64_t key,
                       const std::shared_ptr<Backend>& backend) {
  const size_t count = DocumentsUpTo(documents, kMostDraws);
  if (count == 0) return KeyedRows();
  GibbsOptions gibbs;
  gibbs.first_sweeps = options.sweeps;
  gibbs.first_averaged = gibbs.averaged;
  gibbs.variances = false;
  gibbs.seed = options.seed;
  gibbs.on_first_sweep = options.on_sweep;
  const LdaGibbs sampler(spec, gibbs, Context(1), backend);
  if (count == documents.size() && documents.weights.empty()) return sampler(documents, prior, key);
  Documents part = Slice(documents, 0, count);
  part.weights.clear();  // rounded up, they are good enough to start from
  return sampler(part, prior, key);
}

}  // namespace sda::lda
