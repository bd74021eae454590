#include "sda/lda_gibbs.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "lda/backend.h"
#include "lda/cpu_backend.h"
#include "lda/minibatch.h"
#include "lda/topic_rows.h"

namespace sda {

LdaGibbs::LdaGibbs(LdaSpec spec, GibbsOptions options, Context context,
                   std::shared_ptr<lda::Backend> backend)
    : spec_(std::move(spec)),
      options_(std::move(options)),
      context_(std::move(context)),
      backend_(lda::BackendOr(std::move(backend), context_, options_.workers)) {
  spec_.Validate();
  options_.Validate();
}

LdaGibbs::~LdaGibbs() = default;

KeyedRows::Selection LdaGibbs::Touches(const Documents& documents) const {
  return lda::WordsOf(documents, spec_.vocabulary, context_, options_.workers);
}

KeyedRows LdaGibbs::operator()(const Documents& documents, const KeyedRows& prior,
                               uint64_t key) const {
  KeyedRows posterior = prior;
  posterior += Change(documents, prior, key);
  return posterior;
}

KeyedRows LdaGibbs::Change(const Documents& documents, const KeyedRows& prior, uint64_t key) const {
  constexpr uint64_t kSampling = 5;  // what the random numbers are for
  const auto minibatch = backend_->NewGibbs(spec_, options_.groups, documents, prior,
                                            Key(options_.seed, kSampling, key));
  const bool first = lda::NothingFolded(prior);
  if (first) {
    minibatch->StartAtRandom();
  } else {
    minibatch->Sweep(false);
  }
  int sweeps = first ? options_.first_sweeps : options_.sweeps;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    // Early enough for the topics to settle.
    if (first && sweep % 10 == 9 && 3 * sweep < 2 * sweeps) minibatch->ReuseTwins();
    minibatch->Sweep(sweep >= sweeps - options_.averaged);
    if (first && options_.on_first_sweep && !options_.on_first_sweep(sweep + 1, sweeps)) {
      sweeps = std::min(sweeps, sweep + 1 + options_.averaged);
    }
  }
  return minibatch->Change();
}

}  // namespace sda
