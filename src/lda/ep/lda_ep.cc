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
  State(LdaSpec the_spec, EpOptions the_options, const Context& the_context,
        std::shared_ptr<lda::Backend> given)
      : spec(std::move(the_spec)),
        options(std::move(the_options)),
        context(the_context),
        backend(lda::BackendOr(std::move(given), context, 1)) {
    spec.Validate();
    options.Validate();
  }

  const LdaSpec spec;
  const EpOptions options;
  const Context context;
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

double DrawsOf(const Documents& documents) {
  double draws = 0;
  for (size_t d = 0; d < documents.size(); ++d) draws += static_cast<double>(Draws(documents, d));
  return draws;
}

// A message each token, or block of tokens in a very long document (documents.h); or each word.
std::vector<EpMessage> MessagesOf(const Documents& documents, const WordIndex& index,
                                  EpUpdates updates) {
  std::vector<EpMessage> messages;
  for (size_t d = 0; d < documents.size(); ++d) {
    const uint64_t block = updates == EpUpdates::kType ? UINT32_MAX : BlockTokens(documents, d);
    for (uint64_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
      const uint32_t count = documents.counts[i];
      const auto copies = static_cast<uint32_t>(std::min<uint64_t>(count, block));
      EpMessage message{static_cast<uint32_t>(d), index.numbers[i], static_cast<uint32_t>(i),
                        copies};
      messages.insert(messages.end(), count / copies, message);
      message.copies = count % copies;
      if (message.copies > 0) messages.push_back(message);
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
  posterior.SetVariances(RowVariances::Unknown());
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

// The two halves of documents that are too much at once: of a single one, those of its words.
// Throws UsageError if it has only one.
std::pair<Documents, Documents> Halves(const Documents& documents, double bytes, double given) {
  const size_t size = documents.size();
  if (size > 1) return {Slice(documents, 0, size / 2), Slice(documents, size / 2, size)};
  const size_t words = documents.words.size();
  if (words > 1) {
    Documents parts = documents;
    parts.offsets = {0, words / 2, words};
    parts.numbers.resize(std::min<size_t>(parts.numbers.size(), 1) * 2, 1);
    parts.ids.clear();
    parts.times.clear();
    parts.unknown.clear();
    parts.texts.clear();
    return {Slice(parts, 0, 1), Slice(parts, 1, 2)};
  }
  const auto mebibytes = [](double b) {
    return std::to_string(static_cast<uint64_t>(std::ceil(b / (1 << 20)))) + " MiB";
  };
  throw UsageError("expectation propagation on one word may take " + mebibytes(bytes) +
                   ", and is given " + mebibytes(given) + ": it needs more memory or fewer topics");
}

}  // namespace

double EpMemory(const LdaSpec& spec, const EpOptions& options, const Documents& documents,
                const KeyedRows& prior) {
  constexpr double kNumber = sizeof(double);
  const double topics = spec.topics;
  const double vocabulary = static_cast<double>(spec.vocabulary);
  const double entries = static_cast<double>(documents.words.size());
  const double messages = options.updates == EpUpdates::kToken ? DrawsOf(documents) : entries;
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
  result.SetVariances(posterior->variances());
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
  lda::ExpectWholeCounts(documents, "expectation propagation");
  const LdaSpec& spec = state_->spec;
  const EpOptions& options = state_->options;
  const double bytes = EpMemory(spec, options, documents, given);
  if (const auto most = static_cast<double>(options.memory_bytes); bytes > most) {
    const auto [first, second] = Halves(documents, bytes, most);
    return (*this)(second, (*this)(first, given, key), key);
  }
  KeyedRows prior = given;
  EpStats done;
  done.raised_parameters = RaiseToPositive(spec.eta, spec.vocabulary, &prior);
  ThreadPool pool(1);
  const WordIndex index(documents, spec.vocabulary, &pool);
  const std::vector<EpMessage> messages = MessagesOf(documents, index, options.updates);
  const std::vector<double> start =
      lda::EpStartMessages(spec, options, documents, prior, index, key, state_->backend);
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
    state_->context.ThrowIfInterrupted();
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
