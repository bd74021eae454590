#include <algorithm>
#include <mutex>
#include <utility>

#include "sda/errors.h"
#include "sda/loop.h"
#include "sda/topics.h"
#include "topics/learner.h"

namespace sda {
namespace {

// One minibatch.
class OneSource : public Source<Documents> {
 public:
  OneSource(uint64_t id, const Documents& documents) : id_(id), documents_(documents) {}
  std::optional<Minibatch<Documents>> Next() override {
    if (std::exchange(done_, true)) return std::nullopt;
    return Minibatch<Documents>{id_, CountsOf(documents_), "", documents_};
  }
  void Resume(const std::string&, const std::vector<uint64_t>&) override {
    throw std::logic_error("one minibatch has no position");
  }

 private:
  const uint64_t id_;
  const Documents& documents_;
  bool done_ = false;
};

// Another source whose ids may start at 0, though the session has had minibatches.
class ContinuedSource : public Source<Documents> {
 public:
  ContinuedSource(Source<Documents>* source, uint64_t next) : source_(*source), next_(next) {}
  std::optional<Minibatch<Documents>> Next() override {
    auto minibatch = source_.Next();
    if (!minibatch) return minibatch;
    if (!add_) add_ = minibatch->id < next_ ? next_ - minibatch->id : 0;
    minibatch->id += *add_;
    return minibatch;
  }
  void Resume(const std::string& position, const std::vector<uint64_t>& cut) override {
    source_.Resume(position, cut);
  }

 private:
  Source<Documents>& source_;
  const uint64_t next_;
  std::optional<uint64_t> add_;  // to each id
};

Summary SummaryOf(const TopicModel& model) {
  Summary summary;
  summary.minibatches = model.minibatches;
  summary.counts = {.items = model.documents, .tokens = model.tokens};
  summary.minibatches_before = summary.minibatches;
  summary.items_before = summary.counts.items;
  return summary;
}

KeyedRows::Selection WordsOf(const HeldOutSplit& split) {
  KeyedRows::Selection selection;
  selection.everything = false;
  for (const Documents* part : {&split.observed, &split.tested}) {
    selection.keys.insert(selection.keys.end(), part->words.begin(), part->words.end());
  }
  std::sort(selection.keys.begin(), selection.keys.end());
  selection.keys.erase(std::unique(selection.keys.begin(), selection.keys.end()),
                       selection.keys.end());
  return selection;
}

}  // namespace

struct TopicSession::State {
  State(const TopicOptions& given, std::vector<std::string> words, Context of, Hooks hooks)
      : options(given.Settled()),
        vocabulary(std::move(words)),
        context(std::move(of)),
        learner(MakeTopicLearner(options, std::max<size_t>(1, vocabulary.size()), context,
                                 {std::move(hooks.on_start_sweep), std::move(hooks.on_pass)})),
        store(learner.prior, context) {
    if (learner.start) store.Restore({std::move(*learner.start), {}, {}});
    learner.start.reset();
  }

  // Parameters that several workers of EP took too much from are raised.
  uint64_t Raise(KeyedRows* posterior) const {
    if (!learner.ep_stats) return 0;
    return RaiseToPositive(learner.spec.eta, learner.spec.vocabulary, posterior);
  }

  Summary Whole(const Summary& later) const {
    Summary whole = earlier;
    return whole += later;
  }

  TopicModel ModelOf(sda::Snapshot<KeyedRows> snapshot) const {
    Raise(&snapshot.params);
    return {.options = options,
            .vocabulary = vocabulary,
            .posterior = std::move(snapshot.params),
            .minibatches = snapshot.folded.size(),
            .documents = snapshot.counts.items,
            .tokens = snapshot.counts.tokens};
  }

  Summary Learn(Source<Documents>& source, const Observer& observer, const RunOptions& run);

  const TopicOptions options;
  const std::vector<std::string> vocabulary;
  const Context context;
  TopicLearner learner;
  MemoryStore<KeyedRows> store;
  uint64_t raised = 0;   // by Release()
  bool resumed = false;  // minibatches that are in the posterior may come again

  mutable std::mutex mutex;  // guards what follows
  Summary earlier;           // than the run under way
  Summary now;               // of all
};

TopicSession::TopicSession(const TopicOptions& options, std::vector<std::string> vocabulary,
                           Context context, Hooks hooks)
    : state_(std::make_unique<State>(options, std::move(vocabulary), std::move(context),
                                     std::move(hooks))) {}

TopicSession::TopicSession(TopicModel model, Context context, Hooks hooks)
    : TopicSession(model.options, std::move(model.vocabulary), std::move(context),
                   std::move(hooks)) {
  state_->earlier = state_->now = SummaryOf(model);
  state_->store.Restore({std::move(model.posterior),
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

const TopicOptions& TopicSession::options() const { return state_->options; }
const std::vector<std::string>& TopicSession::vocabulary() const { return state_->vocabulary; }
LdaSpec TopicSession::spec() const { return state_->learner.spec; }
uint64_t TopicSession::next_minibatch() const { return state_->store.Folded().next(); }

Summary TopicSession::State::Learn(Source<Documents>& source, const Observer& observer,
                                   const RunOptions& run) {
  const Observer observe = [&](const Summary& summary) {
    Summary whole;
    {
      std::lock_guard lock(mutex);
      whole = now = Whole(summary);
    }
    if (observer) observer(whole);
  };
  auto end = [&] {
    std::lock_guard lock(mutex);
    return earlier = now;
  };
  try {
    sda::Run(source, *learner.primitive, store, run, observe, context);
  } catch (...) {
    end();
    throw;
  }
  return end();
}

Summary TopicSession::Run(Source<Documents>& source, const Observer& observer) {
  if (state_->resumed) return state_->Learn(source, observer, state_->learner.run);
  ContinuedSource continued(&source, next_minibatch());
  return state_->Learn(continued, observer, state_->learner.run);
}

Summary TopicSession::Update(const Documents& documents) {
  OneSource source(next_minibatch(), documents);
  // One minibatch is serial.
  return state_->Learn(source, {}, RunOptions{.discount = state_->learner.run.discount});
}

Summary TopicSession::summary() const {
  std::lock_guard lock(state_->mutex);
  return state_->now;
}

LdaStats TopicSession::stats() const { return state_->learner.stats(); }
bool TopicSession::is_ep() const { return static_cast<bool>(state_->learner.ep_stats); }
EpStats TopicSession::ep_stats() const {
  EpStats stats = is_ep() ? state_->learner.ep_stats() : EpStats();
  stats.raised_parameters += state_->raised;
  return stats;
}

TopicModel TopicSession::Snapshot() const { return state_->ModelOf(state_->store.Read()); }

TopicModel TopicSession::Release() {
  sda::Snapshot<KeyedRows> snapshot = state_->store.Release();
  state_->raised = state_->Raise(&snapshot.params);
  return state_->ModelOf(std::move(snapshot));
}

std::vector<DocumentTopics> TopicSession::Infer(const Documents& documents, size_t most) const {
  sda::Snapshot<KeyedRows> snapshot;
  state_->store.Read(is_ep() ? KeyedRows::Selection() : WordsOf({documents, {}}), &snapshot);
  state_->Raise(&snapshot.params);
  return InferTopics(snapshot.params, documents, spec(), state_->context, most);
}

LdaScore TopicSession::Score(const Documents& documents, SplitRule rule) const {
  return Score(SplitHeldOut(documents, rule));
}

LdaScore TopicSession::Score(const HeldOutSplit& split) const {
  sda::Snapshot<KeyedRows> snapshot;
  state_->store.Read(is_ep() ? KeyedRows::Selection() : WordsOf(split), &snapshot);
  state_->Raise(&snapshot.params);
  return LogPredictive(snapshot.params, split, spec(), state_->context);
}

std::vector<double> TopicSession::TopicTokens() const {
  sda::Snapshot<KeyedRows> snapshot;
  state_->store.Read({false, {}}, &snapshot);  // the totals alone
  const auto totals = snapshot.params.totals();
  return {totals.begin(), totals.end()};
}

PosteriorCopy TopicSession::CopyOfPosterior() const { return CopyPosterior(state_->store); }

TopicModel TopicSession::ModelOf(const PosteriorCopy& copy) const {
  return state_->ModelOf(*static_cast<const sda::Snapshot<KeyedRows>*>(copy.snapshot.get()));
}

void TopicSession::Resume(const Checkpoint& checkpoint, const Summary& earlier) {
  auto posterior = checkpoint.Posterior<KeyedRows>();
  if (posterior.params.width() != state_->learner.prior.width()) {
    throw InputError(checkpoint.path + ": does not have the topics of this run");
  }
  std::lock_guard lock(state_->mutex);
  state_->earlier = earlier;
  // What is in the posterior; the summary of an asynchronous run may be of another moment.
  state_->earlier.counts = posterior.counts;
  state_->earlier.minibatches = posterior.folded.size();
  state_->now = state_->earlier;
  state_->store.Restore(std::move(posterior));
  state_->resumed = true;
}

}  // namespace sda
