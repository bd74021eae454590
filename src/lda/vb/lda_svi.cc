#include <tuple>
#include <utility>

#include "lda/minibatch.h"
#include "lda/noise.h"
#include "lda/score/inference.h"
#include "lda/vb/counters.h"
#include "lda/vb/expectation.h"
#include "sda/lda.h"
#include "sda/thread_pool.h"

namespace sda {

using lda::Expectation;
using lda::Topics;
using lda::WordIndex;

struct LdaSvi::State {
  LdaOptions options;
  SviOptions svi;
  lda::Counters counters;
  std::tuple<lda::Workspaces<float>, lda::Workspaces<double>> workspaces;
};

namespace {

// A loop on its own, with the factor a copy: the compiler sees that nothing changes it meanwhile,
// and makes vectors of it.
void Undo(const double* discounted, const double* eta, double factor, size_t topics, double* row) {
  for (size_t k = 0; k < topics; ++k) row[k] = eta[k] + (discounted[k] - eta[k]) * factor;
}

// lambda before it was discounted: eta + (prior - eta) / kept.
Topics BeforeDiscount(const KeyedRows& prior, const WordIndex& index, double kept,
                      const LdaOptions& options) {
  Topics topics;
  topics.row = [&, kept](size_t v, double* row) {
    Undo(lda::RowOf(prior, index, v).data(), prior.default_row().data(), 1 / kept, prior.width(),
         row);
  };
  for (size_t k = 0; k < prior.width(); ++k) {
    topics.sums.push_back(options.vocabulary * prior.default_row()[k] + prior.totals()[k] / kept);
  }
  return topics;
}

}  // namespace

LdaSvi::LdaSvi(LdaOptions options, SviOptions svi) : state_(std::make_unique<State>()) {
  options.Validate();
  svi.Validate();
  state_->options = std::move(options);
  state_->svi = svi;
}

LdaSvi::~LdaSvi() = default;

LdaStats LdaSvi::stats() const { return state_->counters.stats(); }

KeyedRows::Selection LdaSvi::Touches(const Documents& documents) const {
  const LdaOptions& options = state_->options;
  return options.precision == Precision::kFloat
             ? lda::WordsOf(documents, options, &std::get<0>(state_->workspaces))
             : lda::WordsOf(documents, options, &std::get<1>(state_->workspaces));
}

KeyedRows LdaSvi::operator()(const Documents& documents, const KeyedRows& prior) const {
  KeyedRows posterior = prior;
  posterior += Change(documents, prior);
  return posterior;
}

KeyedRows LdaSvi::Change(const Documents& documents, const KeyedRows& prior) const {
  return state_->options.precision == Precision::kFloat ? ChangeIn<float>(documents, prior)
                                                        : ChangeIn<double>(documents, prior);
}

template <class T>
KeyedRows LdaSvi::ChangeIn(const Documents& documents, const KeyedRows& prior) const {
  const LdaOptions& options = state_->options;
  const double rho = state_->svi.Rate(documents.minibatch);
  auto& workspaces = std::get<lda::Workspaces<T>>(state_->workspaces);
  auto workspace = workspaces.Take(options.threads, lda::SharedPool(prior, options.threads));
  WordIndex& index = workspace->index;
  index.Build(documents, options.vocabulary, workspace->pool.get());
  Expectation<T> e(options, documents, index, workspace.get());
  e.Run(BeforeDiscount(prior, index, 1 - rho, options), false);

  KeyedRows change = e.Change(rho * state_->svi.total_documents / documents.size());
  state_->counters.Add(documents, e, 1, true);
  workspaces.Return(std::move(workspace));
  return change;
}

Discount SviDiscount(const SviOptions& svi) {
  svi.Validate();
  return [svi](uint64_t minibatch, uint64_t) { return 1 - svi.Rate(minibatch); };
}

KeyedRows SviStart(const LdaOptions& options, const KeyedRows& prior) {
  const lda::Noise noise(options.seed, options.topics, options.noise_scale);
  KeyedRows start = prior;
  std::vector<double> change(prior.width());
  for (uint64_t v = 0; v < options.vocabulary; ++v) {
    const auto eta = prior.At(v);
    for (size_t k = 0; k < change.size(); ++k) change[k] = noise.At(k, v) - eta[k];
    start.Add(v, change);
  }
  return start;
}

}  // namespace sda
