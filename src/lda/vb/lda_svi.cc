#include "sda/lda_svi.h"

#include <utility>
#include <vector>

#include "lda/backend.h"
#include "lda/cpu_backend.h"
#include "lda/minibatch.h"
#include "lda/noise.h"
#include "lda/topic_rows.h"
#include "lda/vb/counters.h"

namespace sda {

struct LdaSvi::State {
  State(LdaSpec the_spec, SviOptions the_options, Context the_context,
        std::shared_ptr<lda::Backend> given)
      : spec(std::move(the_spec)),
        options(std::move(the_options)),
        context(std::move(the_context)),
        backend(lda::BackendOr(std::move(given), context, options.workers)) {
    spec.Validate();
    options.Validate();
  }

  const LdaSpec spec;
  const SviOptions options;
  const Context context;
  const std::shared_ptr<lda::Backend> backend;
  lda::Counters counters;
};

namespace {

// A loop on its own, with the factor a copy: the compiler sees that nothing changes it meanwhile,
// and makes vectors of it.
void Undo(const double* discounted, const double* eta, double factor, size_t topics, double* row) {
  for (size_t k = 0; k < topics; ++k) row[k] = eta[k] + (discounted[k] - eta[k]) * factor;
}

// lambda before it was discounted: eta + (prior - eta) / kept.
lda::Topics BeforeDiscount(const KeyedRows& prior, std::span<const uint64_t> words, double kept,
                           uint64_t vocabulary) {
  lda::Topics topics;
  topics.row = [&prior, words, kept](size_t v, double* row) {
    Undo(lda::RowOf(prior, words, v).data(), prior.default_row().data(), 1 / kept, prior.width(),
         row);
  };
  for (size_t k = 0; k < prior.width(); ++k) {
    topics.sums.push_back(vocabulary * prior.default_row()[k] + prior.totals()[k] / kept);
  }
  return topics;
}

}  // namespace

LdaSvi::LdaSvi(LdaSpec spec, SviOptions options, Context context,
               std::shared_ptr<lda::Backend> backend)
    : state_(std::make_unique<State>(std::move(spec), std::move(options), std::move(context),
                                     std::move(backend))) {}

LdaSvi::~LdaSvi() = default;

LdaStats LdaSvi::stats() const { return state_->counters.stats(); }

KeyedRows::Selection LdaSvi::Touches(const Documents& documents) const {
  return lda::WordsOf(documents, state_->spec.vocabulary, state_->context, state_->options.workers);
}

KeyedRows LdaSvi::operator()(const Documents& documents, const KeyedRows& prior,
                             uint64_t key) const {
  KeyedRows posterior = prior;
  posterior += Change(documents, prior, key);
  return posterior;
}

KeyedRows LdaSvi::Change(const Documents& documents, const KeyedRows& prior, uint64_t key) const {
  const SviOptions& options = state_->options;
  const double rho = options.Rate(key);
  const auto minibatch = state_->backend->NewVb(state_->spec, options.local, documents, prior);
  minibatch->StartAt(BeforeDiscount(prior, minibatch->words(), 1 - rho, state_->spec.vocabulary));
  state_->counters.Add(documents, minibatch->Step(false), 1, true);
  return minibatch->Statistics(rho * options.total_documents / documents.size());
}

Discount SviDiscount(const SviOptions& options) {
  options.Validate();
  return [options](uint64_t minibatch, uint64_t) { return 1 - options.Rate(minibatch); };
}

KeyedRows SviStart(const LdaSpec& spec, const SviOptions& options, const KeyedRows& prior) {
  const lda::Noise noise(options.seed, spec.topics, options.noise_scale);
  KeyedRows start = prior;
  std::vector<double> change(prior.width());
  for (uint64_t v = 0; v < spec.vocabulary; ++v) {
    const auto eta = prior.At(v);
    for (size_t k = 0; k < change.size(); ++k) change[k] = noise.At(k, v) - eta[k];
    start.Add(v, change);
  }
  return start;
}

}  // namespace sda
