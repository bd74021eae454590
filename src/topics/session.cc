#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "lda/score/inference.h"
#include "sda/errors.h"
#include "sda/loop.h"
#include "sda/over_time.h"
#include "sda/topics.h"
#include "topics/refit.h"
#include "topics/session_sources.h"
#include "topics/session_state.h"

namespace sda {
namespace {

Summary SummaryOf(const TopicModel& model) {
  Summary summary;
  summary.minibatches = model.minibatches;
  summary.counts = {.items = model.documents, .tokens = model.tokens};
  summary.minibatches_before = summary.minibatches;
  summary.items_before = summary.counts.items;
  return summary;
}

// The sums of a model go on with the buckets and the memory of this run.
void ContinueOverTime(const TopicOptions& options, KeyedRows* posterior) {
  const auto timing = options.Timing();
  if (!timing || posterior->over_time() == nullptr) return;
  OverTime sums(posterior->width(), *timing);
  try {
    sums.Add(*posterior->over_time());
  } catch (const InputError& e) {
    throw UsageError(std::string("the model to continue from has topics over time: ") + e.what());
  }
  posterior->SetOverTime(std::move(sums));
}

}  // namespace

TopicSession::TopicSession(const TopicOptions& options, std::vector<std::string> vocabulary,
                           Context context, Hooks hooks)
    : state_(std::make_unique<State>(options, std::move(vocabulary), std::move(context),
                                     std::move(hooks))) {}

TopicSession::TopicSession(TopicModel model, Context context, Hooks hooks)
    : TopicSession(model.options, model.vocabulary, std::move(context), std::move(hooks)) {
  SessionCore& core = state_->core();
  const bool grows = model.options.Grows();
  if (const auto fault =
          grows ? lda::FaultIn(model.posterior, model.Spec()) : core.FaultIn(model.posterior)) {
    throw InputError("the model to continue from holds no valid posterior: " + *fault);
  }
  if (grows) {
    WordLedger words = LedgerOf(model);
    model.posterior.MapKeys([&](uint64_t row) { return words.words()[row].key; });
    if (model.posterior.over_time() != nullptr) {
      state_->context.Log(
          "the topics over time of the model end: they are not kept with --grow-vocab");
      model.posterior.ClearOverTime();
    }
    model.posterior.SetWords(std::move(words));
  }
  state_->earlier = state_->now = SummaryOf(model);
  state_->search = std::move(model.search);
  state_->continued = model.minibatches;
  state_->tokens_before = model.tokens;
  ContinueOverTime(core.options, &model.posterior);
  if (state_->options.SamplesIntervals()) {
    state_->posterior_before = model.posterior;
    state_->posterior_before->ClearOverTime();
  }
  state_->coherence_before = model.coherence;
  state_->refitted_share = model.refitted_share;
  state_->sample.Continue(std::move(model.sample), model.coherence && model.coherence->all_sampled,
                          model.minibatches);
  core.store.Restore({std::move(model.posterior),
                      IdSet::FirstOnes(model.minibatches),
                      {.items = model.documents, .tokens = model.tokens}});
}

TopicSession TopicSession::Load(const std::string& path, Context context) {
  TopicModel model = LoadTopicModel(path);
  for (const std::string& line : model.assumed) context.Log(path + ": " + line);
  return TopicSession(std::move(model), std::move(context));
}

TopicSession::~TopicSession() = default;
TopicSession::TopicSession(TopicSession&&) noexcept = default;
TopicSession& TopicSession::operator=(TopicSession&&) noexcept = default;

const TopicOptions& TopicSession::options() const {
  return state_->begun() ? state_->core().options : state_->options;
}
const std::vector<std::string>& TopicSession::vocabulary() const { return state_->vocabulary; }
LdaSpec TopicSession::spec() const {
  const SessionCore& core = state_->core();
  sda::Snapshot<KeyedRows> snapshot{core.store.prior(), {}, {}};
  if (core.options.Grows()) core.store.Read({false, {}}, &snapshot);  // the number of words alone
  return core.SpecOf(snapshot.params);
}
uint64_t TopicSession::next_minibatch() const {
  return state_->begun() ? state_->core().store.Folded().next() : 0;
}
std::optional<TopicSearch> TopicSession::search() const {
  return state_->begun() ? state_->search : std::nullopt;
}

Summary TopicSession::State::Learn(Source<Documents>& source, const Observer& observer,
                                   const RunOptions& run) {
  refitted_share = 0;
  const Observer observe = [&](const Summary& summary) {
    Summary whole;
    {
      std::lock_guard lock(mutex);
      whole = now = Whole(summary);
    }
    if (watch && !summary.finished) watch->Folded(whole.last_minibatch, whole.counts.items);
    if (observer) observer(whole);
  };
  auto end = [&] {
    std::lock_guard lock(mutex);
    return earlier = now;
  };
  try {
    sda::Run(source, *core().primitive, core().store, run, observe, context, {}, core().weigher());
  } catch (...) {
    end();
    throw;
  }
  return end();
}

Summary TopicSession::Run(Source<Documents>& source, const Observer& observer) {
  if (!state_->begun()) {
    std::optional<Minibatch<Documents>> first = FirstOf(source, state_->context);
    if (!first) return summary();
    state_->Choose(first->data);
    PutBackSource all(std::move(*first), &source);
    return Run(all, observer);
  }
  const RunOptions& run = state_->core().learner.run;
  if (state_->resumed) return state_->Learn(source, observer, run);
  ContinuedSource continued(&source, next_minibatch());
  return state_->Learn(continued, observer, run);
}

Summary TopicSession::Update(Documents given) {
  Documents documents = state_->WithDictionary(std::move(given));
  if (!state_->begun() && documents.size() > 0) state_->Choose(documents);
  OneSource source(next_minibatch(), std::move(documents));
  // One minibatch is serial.
  return state_->Learn(source, {}, RunOptions{.discount = state_->core().learner.run.discount});
}

bool TopicSession::Refit() {
  const Documents kept = state_->sample.Kept();
  SessionCore& core = state_->core();
  sda::Snapshot<KeyedRows> now = core.store.Read();
  const uint64_t tokens = now.counts.tokens - state_->tokens_before;
  if (kept.size() == 0 || tokens == 0) return false;
  bool whole = true;
  const OnSweep on_sweep = [&](int sweep, int sweeps) {
    const bool goes_on =
        !state_->hooks.on_refit_sweep || state_->hooks.on_refit_sweep(sweep, sweeps);
    whole = whole && (goes_on || sweep == sweeps);
    return goes_on;
  };
  const KeyedRows& before =
      state_->posterior_before ? *state_->posterior_before : core.learner.prior;
  std::optional<OverTime> sums;  // of documents that are not all kept
  if (now.params.over_time() != nullptr) sums = *now.params.over_time();
  now.params = RefitTopics({kept, before, now.params, tokens, core.options.seed}, core.learner.spec,
                           state_->context, on_sweep);
  now.params.ClearOverTime();
  if (sums) now.params.SetOverTime(std::move(*sums));
  const auto all = static_cast<double>(now.counts.tokens);
  core.store.Restore(std::move(now));
  if (whole) state_->refitted_share = static_cast<double>(Tokens(kept)) / all;
  return true;
}

Summary TopicSession::summary() const {
  std::lock_guard lock(state_->mutex);
  return state_->now;
}

LdaStats TopicSession::stats() const {
  return state_->begun() ? state_->core().learner.stats() : LdaStats();
}
std::optional<ForgettingHistory> TopicSession::forgetting() const {
  if (!state_->begun() || !state_->core().forgetting) return std::nullopt;
  return state_->core().forgetting->rates().history();
}
bool TopicSession::is_ep() const { return state_->options.primitive == "ep"; }
EpStats TopicSession::ep_stats() const {
  EpStats stats = is_ep() && state_->begun() ? state_->core().learner.ep_stats() : EpStats();
  stats.raised_parameters += state_->raised;
  return stats;
}

TopicModel TopicSession::Snapshot() const { return state_->ModelOf(state_->core().store.Read()); }

TopicModel TopicSession::Release() {
  sda::Snapshot<KeyedRows> snapshot = state_->core().store.Release();
  state_->raised = state_->core().Raise(&snapshot.params);
  return state_->ModelOf(std::move(snapshot));
}

std::vector<DocumentTopics> TopicSession::Infer(const Documents& documents, size_t most,
                                                const InferOptions& options) const {
  InferOptions how = options;
  how.approximate_topics = state_->core().options.ApproximateTopics();
  const SessionCore::Inference of = state_->core().InferenceOf(state_->WithDictionary(documents));
  return InferTopics(of.topics, of.documents, of.spec, state_->context, most, how);
}

std::vector<double> TopicSession::Proportions(const Documents& documents) const {
  const SessionCore::Inference of = state_->core().InferenceOf(state_->WithDictionary(documents));
  return lda::InferGamma(of.topics, of.documents, of.spec, {}, state_->context, nullptr).gamma;
}

LdaScore TopicSession::Score(const Documents& documents, SplitRule rule) const {
  if (!state_->core().options.Grows()) return Score(SplitHeldOut(documents, rule));
  const SessionCore::Inference of = state_->core().InferenceOf(state_->WithDictionary(documents));
  return LogPredictive(of.topics, SplitHeldOut(of.documents, rule), of.spec, state_->context);
}

LdaScore TopicSession::Score(const HeldOutSplit& split) const {
  if (state_->core().options.Grows()) {
    throw UsageError(
        "held-out documents are split anew while the vocabulary grows: score them whole");
  }
  return LogPredictive(state_->core().ReadFor(split).params, split, spec(), state_->context);
}

std::vector<double> TopicSession::TopicTokens() const {
  sda::Snapshot<KeyedRows> snapshot;
  state_->core().store.Read({false, {}}, &snapshot);  // the totals alone
  const auto totals = snapshot.params.totals();
  return {totals.begin(), totals.end()};
}

}  // namespace sda
