#include <algorithm>
#include <mutex>
#include <tuple>
#include <utility>

#include "lda/gibbs/sampled_start.h"
#include "lda/minibatch.h"
#include "lda/noise.h"
#include "lda/score/inference.h"
#include "lda/vb/counters.h"
#include "lda/vb/expectation.h"
#include "sda/lda.h"
#include "sda/lda_bound.h"
#include "sda/thread_pool.h"

namespace sda {

using lda::Expectation;
using lda::Noise;
using lda::Topics;
using lda::WordIndex;

struct LdaVb::State {
  LdaOptions options;
  OnPass on_pass;
  lda::Counters counters;
  std::tuple<lda::Workspaces<float>, lda::Workspaces<double>> workspaces;
  std::once_flag noise_summed;
  std::vector<double> noise_sums;  // over the vocabulary, of the noise that breaks the symmetry

  // The noise that breaks the symmetry is summed exactly, once; of other noise the mean will do.
  std::vector<double> NoiseSums(const Noise& noise, bool breaks_symmetry) {
    const size_t topics = options.topics;
    const uint64_t vocabulary = options.vocabulary;
    if (!breaks_symmetry) return std::vector<double>(topics, noise.mean() * vocabulary);
    std::call_once(noise_summed, [&] {
      noise_sums.assign(topics, 0.0);
      for (uint64_t v = 0; v < vocabulary; ++v) noise.AddTo(v, noise_sums.data());
    });
    return noise_sums;
  }
};

namespace {

// The prior's rows of the minibatch's words, and the sums of its topics.
struct PriorRows {
  PriorRows(const KeyedRows& prior, const WordIndex& index, uint64_t vocabulary) {
    rows.reserve(index.size());
    for (size_t v = 0; v < index.size(); ++v) rows.push_back(lda::RowOf(prior, index, v).data());
    sums = lda::TopicSums(prior, vocabulary);
  }

  std::vector<const double*> rows;
  std::vector<double> sums;
};

// Where lambda starts: at the prior, at noise, or at the sum of both.
Topics StartTopics(const LdaOptions& options, const KeyedRows& prior, const PriorRows& prior_rows,
                   const WordIndex& index, const std::vector<double>& noise_sums,
                   const Noise& noise) {
  const bool with_noise = options.start != LdaStart::kPrior || lda::NothingFolded(prior);
  const bool with_prior = options.start != LdaStart::kRandom;
  const size_t topics = options.topics;
  Topics start;
  start.row = [=, &prior_rows, &index, &noise](size_t v, double* row) {
    for (size_t k = 0; k < topics; ++k) row[k] = with_prior ? prior_rows.rows[v][k] : 0;
    if (with_noise) noise.AddTo(index.words[v], row);
  };
  for (size_t k = 0; k < topics; ++k) {
    start.sums.push_back((with_prior ? prior_rows.sums[k] : 0) + (with_noise ? noise_sums[k] : 0));
  }
  return start;
}

// The parameters themselves, as long as they live.
Topics TopicsOf(const KeyedRows& rows, const WordIndex& index, uint64_t vocabulary) {
  Topics topics;
  topics.row = [&](size_t v, double* row) {
    const auto from = lda::RowOf(rows, index, v);
    std::copy(from.begin(), from.end(), row);
  };
  topics.sums = lda::TopicSums(rows, vocabulary);
  return topics;
}

// prior + statistics, as long as the two live and no E step changes the statistics.
template <class T>
Topics TopicsAfter(const PriorRows& prior_rows, const Expectation<T>& e) {
  Topics topics;
  topics.row = [&prior_rows, &e](size_t v, double* row) {
    const auto statistics = e.statistics(v);
    for (size_t k = 0; k < statistics.size(); ++k) {
      row[k] = prior_rows.rows[v][k] + static_cast<double>(statistics[k]);
    }
  };
  for (size_t k = 0; k < prior_rows.sums.size(); ++k) {
    topics.sums.push_back(prior_rows.sums[k] + e.statistics_sums()[k]);
  }
  return topics;
}

template <class T>
double Bound(const Documents& documents, const KeyedRows& prior, const Expectation<T>& e,
             const LdaOptions& options) {
  KeyedRows posterior = prior;
  posterior += e.Change(1);
  return LdaBound(documents, e.Gamma(), posterior, prior, options);
}

bool Converged(const LdaOptions& options, double change, double tokens) {
  const double whole = options.outer_stop == OuterStop::kRelative
                           ? tokens
                           : static_cast<double>(options.topics) * options.vocabulary;
  return change < options.outer_tolerance * whole;
}

}  // namespace

LdaVb::LdaVb(LdaOptions options, OnPass on_pass) : state_(std::make_unique<State>()) {
  options.Validate();
  state_->options = std::move(options);
  state_->on_pass = std::move(on_pass);
}

LdaVb::~LdaVb() = default;

LdaStats LdaVb::stats() const { return state_->counters.stats(); }

KeyedRows::Selection LdaVb::Touches(const Documents& documents) const {
  const LdaOptions& options = state_->options;
  return options.precision == Precision::kFloat
             ? lda::WordsOf(documents, options, &std::get<0>(state_->workspaces))
             : lda::WordsOf(documents, options, &std::get<1>(state_->workspaces));
}

KeyedRows LdaVb::operator()(const Documents& documents, const KeyedRows& prior) const {
  KeyedRows posterior = prior;
  posterior += Change(documents, prior);
  return posterior;
}

KeyedRows LdaVb::Change(const Documents& documents, const KeyedRows& prior) const {
  return state_->options.precision == Precision::kFloat ? ChangeIn<float>(documents, prior)
                                                        : ChangeIn<double>(documents, prior);
}

template <class T>
KeyedRows LdaVb::ChangeIn(const Documents& documents, const KeyedRows& prior) const {
  const LdaOptions& options = state_->options;
  auto& workspaces = std::get<lda::Workspaces<T>>(state_->workspaces);
  auto workspace = workspaces.Take(options.threads, lda::SharedPool(prior, options.threads));
  WordIndex& index = workspace->index;
  index.Build(documents, options.vocabulary, workspace->pool.get());
  const PriorRows prior_rows(prior, index, options.vocabulary);
  Expectation<T> e(options, documents, index, workspace.get());

  const bool first = lda::NothingFolded(prior);
  const Noise noise(options.seed + (first ? 0 : documents.minibatch), options.topics,
                    options.noise_scale);
  Topics topics =
      StartTopics(options, prior, prior_rows, index, state_->NoiseSums(noise, first), noise);
  KeyedRows sampled;
  if (first && options.start == LdaStart::kSampled) {
    sampled = lda::SampledStart(options, documents, prior);
    if (sampled.rows() > 0) topics = TopicsOf(sampled, index, options.vocabulary);
  }
  bool converged = false;
  int pass = 0;
  while (!converged && pass < options.outer_iterations) {
    ++pass;
    const uint64_t updates_before = e.updates();
    e.Run(topics, options.warm_gamma && pass > 1);
    topics = TopicsAfter(prior_rows, e);
    converged = pass > 1 && Converged(options, e.change(), static_cast<double>(e.tokens()));
    if (state_->on_pass) {
      state_->on_pass(
          {pass, e.change(), e.updates() - updates_before, Bound(documents, prior, e, options)});
    }
  }
  state_->counters.Add(documents, e, pass, converged || options.outer_iterations == 1);
  KeyedRows change = e.Change(1);
  workspaces.Return(std::move(workspace));
  return change;
}

}  // namespace sda
