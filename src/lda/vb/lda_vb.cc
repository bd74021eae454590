#include "sda/lda_vb.h"

#include <mutex>
#include <utility>
#include <vector>

#include "lda/backend.h"
#include "lda/cpu_backend.h"
#include "lda/gibbs/sampled_start.h"
#include "lda/minibatch.h"
#include "lda/noise.h"
#include "lda/topic_rows.h"
#include "lda/vb/counters.h"
#include "lda/vb/vb_start.h"
#include "sda/lda_bound.h"

namespace sda {

using lda::Noise;
using lda::VbMinibatch;
using lda::VbSums;

struct LdaVb::State {
  State(LdaSpec the_spec, VbOptions the_options, Context the_context, OnPass the_on_pass,
        std::shared_ptr<lda::Backend> given)
      : spec(std::move(the_spec)),
        options(std::move(the_options)),
        context(std::move(the_context)),
        on_pass(std::move(the_on_pass)),
        backend(lda::BackendOr(std::move(given), context, options.workers)) {
    spec.Validate();
    options.Validate();
  }

  const LdaSpec spec;
  const VbOptions options;
  const Context context;
  const OnPass on_pass;
  const std::shared_ptr<lda::Backend> backend;
  lda::Counters counters;
  std::once_flag noise_summed;
  std::vector<double> noise_sums;  // over the vocabulary, of the noise that breaks the symmetry

  // The noise that breaks the symmetry is summed exactly, once; of other noise the mean will do.
  std::vector<double> NoiseSums(const Noise& noise, bool breaks_symmetry, uint64_t words) {
    if (!breaks_symmetry) return std::vector<double>(spec.topics, noise.mean() * words);
    if (words != spec.vocabulary) return SumNoise(noise, words);
    std::call_once(noise_summed, [&] { noise_sums = SumNoise(noise, words); });
    return noise_sums;
  }
  std::vector<double> SumNoise(const Noise& noise, uint64_t words) const {
    std::vector<double> sums(spec.topics, 0.0);
    for (uint64_t v = 0; v < words; ++v) noise.AddTo(v, sums.data());
    return sums;
  }

  bool Converged(const VbSums& sums, uint64_t words) const {
    const double whole = options.outer_stop == OuterStop::kRelative
                             ? static_cast<double>(sums.tokens)
                             : static_cast<double>(spec.topics) * words;
    return sums.change < options.outer_tolerance * whole;
  }

  double Bound(const LdaSpec& now, const Documents& documents, const KeyedRows& prior,
               const VbMinibatch& minibatch) const {
    KeyedRows posterior = prior;
    posterior += minibatch.Statistics(1);
    return LdaBound(documents, minibatch.Gamma(), posterior, prior, now, context);
  }

  // Outer iterations until lambda converges, from where the minibatch starts.
  void Ascend(const LdaSpec& now, const Documents& documents, const KeyedRows& prior,
              VbMinibatch* minibatch) {
    VbSums all;
    bool converged = false;
    int pass = 0;
    while (!converged && pass < options.outer_iterations) {
      ++pass;
      context.ThrowIfInterrupted();
      const VbSums sums = minibatch->Step(options.warm_gamma && pass > 1);
      all.tokens = sums.tokens;
      all.unconverged = sums.unconverged;
      all.updates += sums.updates;
      all.log_space_words += sums.log_space_words;
      converged = pass > 1 && Converged(sums, now.vocabulary);
      if (on_pass) {
        on_pass({pass, sums.change, sums.updates, Bound(now, documents, prior, *minibatch)});
      }
      minibatch->StartAtPosterior();
    }
    counters.Add(documents, all, pass, converged || options.outer_iterations == 1);
  }
};

LdaVb::LdaVb(LdaSpec spec, VbOptions options, Context context, OnPass on_pass,
             std::shared_ptr<lda::Backend> backend)
    : state_(std::make_unique<State>(std::move(spec), std::move(options), std::move(context),
                                     std::move(on_pass), std::move(backend))) {}

LdaVb::~LdaVb() = default;

LdaStats LdaVb::stats() const { return state_->counters.stats(); }

KeyedRows::Selection LdaVb::Touches(const Documents& documents) const {
  return lda::WordsOf(documents, state_->spec.vocabulary, state_->context, state_->options.workers);
}

KeyedRows LdaVb::operator()(const Documents& documents, const KeyedRows& prior,
                            uint64_t key) const {
  KeyedRows posterior = prior;
  posterior += Change(documents, prior, key);
  return posterior;
}

KeyedRows LdaVb::Change(const Documents& documents, const KeyedRows& prior, uint64_t key) const {
  return ChangeAmong(state_->spec.vocabulary, documents, prior, key);
}

KeyedRows LdaVb::ChangeAmong(uint64_t words, const Documents& documents, const KeyedRows& prior,
                             uint64_t key) const {
  LdaSpec spec = state_->spec;
  spec.vocabulary = words;
  const VbOptions& options = state_->options;
  const auto minibatch = state_->backend->NewVb(spec, options.local, documents, prior);

  const bool first = lda::NothingFolded(prior);
  const Noise noise = lda::StartNoise(options, spec.topics, key, first);
  KeyedRows sampled;
  if (first && options.start == LdaStart::kSampled) {
    sampled = lda::SampledStart(spec, {options.start_sweeps, options.seed, options.on_start_sweep},
                                documents, prior, key, state_->backend);
  }
  minibatch->StartAt(sampled.rows() > 0
                         ? lda::TopicsOf(sampled, minibatch->words(), spec.vocabulary)
                         : lda::StartTopics(options.start, prior, minibatch->words(),
                                            spec.vocabulary, noise,
                                            state_->NoiseSums(noise, first, words)));
  state_->Ascend(spec, documents, prior, minibatch.get());
  return minibatch->Statistics(1);
}

}  // namespace sda
