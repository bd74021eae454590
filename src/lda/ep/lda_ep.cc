#include "sda/lda_ep.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "lda/cpu_backend.h"
#include "lda/ep/ep_dense.h"
#include "lda/ep/ep_history.h"
#include "lda/ep/ep_proportions.h"
#include "lda/ep/ep_start.h"
#include "lda/minibatch.h"
#include "lda/topic_rows.h"
#include "sda/errors.h"
#include "sda/thread_pool.h"

namespace sda {

using lda::EpMessage;
using lda::EpTopics;
using lda::WordIndex;

struct LdaEp::State {
  State(LdaSpec the_spec, EpOptions the_options, const Context& context,
        std::shared_ptr<lda::Backend> given)
      : spec(std::move(the_spec)),
        options(std::move(the_options)),
        backend(lda::BackendOr(std::move(given), context, 1)) {
    spec.Validate();
    options.Validate();
  }

  const LdaSpec spec;
  const EpOptions options;
  const std::shared_ptr<lda::Backend> backend;
  mutable std::mutex mutex;
  EpStats stats;

  void Add(const EpStats& more) {
    std::lock_guard lock(mutex);
    stats.minibatches += more.minibatches;
    stats.documents += more.documents;
    stats.tokens += more.tokens;
    stats.messages += more.messages;
    stats.sweeps += more.sweeps;
    stats.updates += more.updates;
    stats.skipped_updates += more.skipped_updates;
    stats.unconverged_minibatches += more.unconverged_minibatches;
    stats.raised_parameters += more.raised_parameters;
  }
};

namespace {

constexpr double kRaised = 1e-3;  // of eta

std::vector<EpMessage> MessagesOf(const Documents& documents, const WordIndex& index,
                                  EpUpdates updates) {
  std::vector<EpMessage> messages;
  for (size_t d = 0; d < documents.size(); ++d) {
    for (uint64_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
      const uint32_t copies = updates == EpUpdates::kType ? documents.counts[i] : 1;
      messages.insert(
          messages.end(), documents.counts[i] / copies,
          {static_cast<uint32_t>(d), index.numbers[i], static_cast<uint32_t>(i), copies});
    }
  }
  return messages;
}

// Updates every message once. Returns how many were skipped.
uint64_t Sweep(const lda::EpProblem& problem, EpTopics* topics, lda::EpProportions* proportions) {
  std::vector<double> of_word(problem.topics());
  std::vector<double> sums(problem.topics());
  std::vector<double> r(problem.topics());
  uint64_t skipped = 0;
  for (size_t i = 0; i < problem.messages.size(); ++i) {
    const bool topics_positive = topics->TakeOut(i, of_word.data(), sums.data());
    if (!topics_positive || !proportions->TakeOut(i)) {
      topics->PutBack();
      ++skipped;
      continue;
    }
    double sum = 0;
    for (size_t k = 0; k < r.size(); ++k) {
      sum += r[k] = proportions->cavity()[k] * (of_word[k] / sums[k]);
    }
    for (double& x : r) x /= sum;
    topics->Replace(r.data());
    proportions->Replace(r);
  }
  return skipped;
}

KeyedRows Posterior(const lda::EpProblem& problem, const EpTopics& topics) {
  const KeyedRows& prior = problem.prior;
  std::vector<double> default_row(problem.topics());
  topics.DefaultRow(default_row.data());
  KeyedRows posterior(default_row);
  std::vector<double> row(problem.topics());
  const auto add = [&](uint64_t word) {
    topics.Row(word, row.data());
    for (size_t k = 0; k < row.size(); ++k) row[k] -= default_row[k];
    posterior.Add(word, row);
  };
  std::vector<uint64_t> known;
  for (size_t r = 0; r < prior.rows(); ++r) {
    add(prior.key(r));
    known.push_back(prior.key(r));
  }
  std::sort(known.begin(), known.end());
  for (const uint64_t word : problem.index.words) {
    if (!std::binary_search(known.begin(), known.end(), word)) add(word);
  }
  return posterior;
}

void CheckMemory(const LdaSpec& spec, const EpOptions& options, const Documents& documents,
                 const KeyedRows& prior) {
  const double bytes = EpMemory(spec, options, documents, prior);
  const double given = static_cast<double>(options.memory_bytes);
  if (bytes <= given) return;
  const auto mebibytes = [](double b) {
    return std::to_string(static_cast<uint64_t>(std::ceil(b / (1 << 20)))) + " MiB";
  };
  throw UsageError(
      "expectation propagation on a minibatch of " + std::to_string(documents.size()) +
      " documents may take " + mebibytes(bytes) + ", and is given " + mebibytes(given) +
      "; a smaller minibatch" +
      (options.matching == EpMatching::kLog ? " or matching of moments" : " or fewer sweeps") +
      " takes less");
}

}  // namespace

double EpMemory(const LdaSpec& spec, const EpOptions& options, const Documents& documents,
                const KeyedRows& prior) {
  constexpr double kNumber = sizeof(double);
  const double topics = spec.topics;
  const double vocabulary = static_cast<double>(spec.vocabulary);
  const double entries = static_cast<double>(documents.words.size());
  const double messages =
      options.updates == EpUpdates::kToken
          ? std::accumulate(documents.counts.begin(), documents.counts.end(), 0.0)
          : entries;
  const double rows = entries + static_cast<double>(prior.rows());
  const double of_topics =
      options.matching == EpMatching::kLog
          ? lda::EpDense::Memory(messages, std::min(vocabulary, rows), topics)
          : lda::EpHistory::Memory(messages, std::min(vocabulary, entries), topics, options.sweeps);
  const double start = lda::NothingFolded(prior) ? entries * topics * kNumber : 0;
  const double documents_too = messages + 2 * static_cast<double>(documents.size());
  return of_topics + start + documents_too * topics * kNumber + messages * sizeof(EpMessage);
}

uint64_t RaiseToPositive(double eta, uint64_t vocabulary, KeyedRows* posterior) {
  const auto count = [](std::span<const double> row) {
    return std::count_if(row.begin(), row.end(), [](double x) { return !(x > 0); });
  };
  uint64_t raised = count(posterior->default_row());
  const bool any_default = raised > 0;
  if (posterior->rows() >= vocabulary) raised = 0;  // no word has it
  for (size_t r = 0; r < posterior->rows(); ++r) raised += count(posterior->row(r));
  if (raised == 0 && !any_default) return 0;

  const auto positive = [eta](double x) { return x > 0 ? x : kRaised * eta; };
  std::vector<double> default_row(posterior->width());
  std::transform(posterior->default_row().begin(), posterior->default_row().end(),
                 default_row.begin(), positive);
  KeyedRows result(default_row);
  std::vector<double> change(default_row.size());
  for (size_t r = 0; r < posterior->rows(); ++r) {
    for (size_t k = 0; k < change.size(); ++k) {
      change[k] = positive(posterior->row(r)[k]) - default_row[k];
    }
    result.Add(posterior->key(r), change);
  }
  *posterior = std::move(result);
  return raised;
}

LdaEp::LdaEp(LdaSpec spec, EpOptions options, Context context,
             std::shared_ptr<lda::Backend> backend)
    : state_(std::make_unique<State>(std::move(spec), std::move(options), context,
                                     std::move(backend))) {}

LdaEp::~LdaEp() = default;

EpStats LdaEp::stats() const {
  std::lock_guard lock(state_->mutex);
  return state_->stats;
}

KeyedRows LdaEp::operator()(const Documents& documents, const KeyedRows& given,
                            uint64_t key) const {
  const LdaSpec& spec = state_->spec;
  const EpOptions& options = state_->options;
  CheckMemory(spec, options, documents, given);
  KeyedRows prior = given;
  EpStats done;
  done.raised_parameters = RaiseToPositive(spec.eta, spec.vocabulary, &prior);
  ThreadPool pool(1);
  const WordIndex index(documents, spec.vocabulary, &pool);
  const std::vector<EpMessage> messages = MessagesOf(documents, index, options.updates);
  std::vector<double> start;
  if (lda::NothingFolded(prior)) {
    start = lda::EpStartMessages(spec, options, documents, prior, index, key, state_->backend);
  }
  const lda::EpProblem problem{prior, index, spec.vocabulary, messages, start, options.damping};
  std::unique_ptr<EpTopics> topics;
  if (options.matching == EpMatching::kLog) {
    topics = std::make_unique<lda::EpDense>(problem, true);
  } else {
    topics = std::make_unique<lda::EpHistory>(problem);
  }
  lda::EpProportions proportions(problem, spec.Alpha(), options.matching == EpMatching::kLog,
                                 documents.size());

  done.minibatches = 1;
  done.documents = documents.size();
  done.tokens = Tokens(documents);
  done.messages = messages.size();
  bool converged = false;
  while (!converged && done.sweeps < static_cast<uint64_t>(options.sweeps)) {
    topics->BeginSweep();
    proportions.BeginSweep();
    done.skipped_updates += Sweep(problem, topics.get(), &proportions);
    done.updates += messages.size();
    ++done.sweeps;
    const double change = std::max(topics->EndSweep(), proportions.EndSweep());
    converged = change <= options.tolerance * static_cast<double>(done.tokens);
  }
  done.unconverged_minibatches = !converged;

  state_->Add(done);
  return Posterior(problem, *topics);
}

}  // namespace sda
