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

std::unique_ptr<lda::GibbsMinibatch> LdaGibbs::NewMinibatch(const LdaSpec& spec,
                                                            const Documents& documents,
                                                            const KeyedRows& prior,
                                                            uint64_t seed) const {
  lda::ExpectWholeCounts(documents, "sampling");
  auto minibatch = backend_->NewGibbs(spec, options_.groups, documents, prior, seed);
  if (options_.variances) minibatch->KeepVariances();
  return minibatch;
}

KeyedRows LdaGibbs::Change(const Documents& documents, const KeyedRows& prior, uint64_t key) const {
  return ChangeAmong(spec_.vocabulary, documents, prior, key);
}

KeyedRows LdaGibbs::ChangeAmong(uint64_t words, const Documents& documents, const KeyedRows& prior,
                                uint64_t key) const {
  LdaSpec spec = spec_;
  spec.vocabulary = words;
  constexpr uint64_t kSampling = 5;  // what the random numbers are for
  const auto minibatch = NewMinibatch(spec, documents, prior, Key(options_.seed, kSampling, key));
  if (lda::NothingFolded(prior)) {
    minibatch->StartAtRandom();
    return FormTopics(minibatch.get(), options_.first_sweeps);
  }
  minibatch->Sweep(false);
  for (int sweep = 0; sweep < options_.sweeps; ++sweep) {
    context_.ThrowIfInterrupted();
    minibatch->Sweep(sweep >= options_.sweeps - options_.averaged);
  }
  return minibatch->Change();
}

KeyedRows LdaGibbs::Refit(const Documents& documents, const KeyedRows& prior,
                          const KeyedRows& topics, uint64_t key) const {
  constexpr uint64_t kRefit = 13;
  const auto minibatch = NewMinibatch(spec_, documents, prior, Key(options_.seed, kRefit, key));
  minibatch->StartAt(topics);
  // A prior that has learnt something knows its topics by their order, so they stay.
  const int before_averaged = options_.first_sweeps - options_.first_averaged;
  return FormTopics(minibatch.get(), lda::NothingFolded(prior) ? before_averaged : 0);
}

KeyedRows LdaGibbs::FormTopics(lda::GibbsMinibatch* minibatch, int forming) const {
  int averaged = std::min(options_.first_averaged, options_.first_sweeps);
  int sweeps = options_.first_sweeps;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    context_.ThrowIfInterrupted();
    // Early enough for the topics to settle.
    if (sweep % 10 == 9 && 3 * sweep < 2 * std::min(forming, sweeps)) minibatch->ReuseTwins();
    minibatch->Sweep(sweep >= sweeps - averaged);
    if (options_.on_first_sweep && !options_.on_first_sweep(sweep + 1, sweeps)) {
      averaged = std::min(averaged, options_.averaged);
      sweeps = std::min(sweeps, sweep + 1 + averaged);
    }
  }
  return minibatch->Change();
}

}  // namespace sda
