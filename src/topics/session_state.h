#ifndef SDA_TOPICS_SESSION_STATE_H_
#define SDA_TOPICS_SESSION_STATE_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sda/errors.h"
#include "sda/topics.h"
#include "topics/sampled_primitive.h"
#include "topics/session_core.h"

namespace sda {

struct TopicSession::State {
  State(const TopicOptions& given, std::vector<std::string> words, Context of, Hooks the_hooks)
      : options(given.Settled()),
        vocabulary(std::move(words)),
        context(std::move(of)),
        hooks(std::move(the_hooks)) {
    if (options.SamplesIntervals()) sample.Keep(options.keep_documents.value_or(kKeptDocuments));
    if (options.topics != kAutoTopics) Begin(options);
  }

  void Begin(const TopicOptions& settled) {
    if (hooks.on_event) {
      watch.emplace(settled.topics, settled.primitive != "ep", context, hooks.on_event);
    }
    made = std::make_unique<SessionCore>(settled, vocabulary, context,
                                         TopicHooks{hooks.on_start_sweep, hooks.on_pass}, &sample,
                                         watch ? &*watch : nullptr);
    core_made = made.get();
  }

  bool begun() const { return core_made != nullptr; }
  SessionCore& core() const {
    if (SessionCore* const core = core_made) return *core;
    throw UsageError(
        "topics is auto: their number is chosen by the first minibatch, which has not come yet");
  }

  void Choose(const Documents& first) {
    Documents documents = first;
    TopicOptions candidates = options;  // are of the words that there are to begin with
    if (options.Grows()) {
      documents = AmongWords(first, WordLedger(WordLimitsOf(options), vocabulary));
      candidates.grow_vocab.reset();
    }
    search =
        ChooseTopics(candidates, vocabulary.size(), documents, context, hooks.on_candidate_sweep);
    earlier.seconds += search->seconds;
    Begin(options.WithTopics(search->topics));
  }

  Summary Whole(const Summary& later) const {
    Summary whole = earlier;
    return whole += later;
  }

  // Documents that were cut with the vocabulary of the beginning, if that grows.
  Documents WithDictionary(Documents documents) const {
    if (options.Grows() && documents.dictionary.empty()) documents.dictionary = vocabulary;
    return documents;
  }

  // The sample has words by the numbers of their admission.
  std::optional<TopicCoherence> CoherenceOf(const sda::Snapshot<KeyedRows>& snapshot) const {
    if (continued && snapshot.folded.size() == *continued) return coherence_before;
    return sample.Coherence(snapshot.params);
  }

  TopicModel ModelOf(sda::Snapshot<KeyedRows> snapshot) const {
    core().Raise(&snapshot.params);
    std::optional<GrownWords> words;
    if (const WordLedger* const ledger = snapshot.params.words()) {
      words = GrownWordsOf(*ledger);
      snapshot.params.MapKeys([&](uint64_t key) { return words->words[ledger->Find(key)].number; });
    }
    std::optional<TopicCoherence> coherence = CoherenceOf(snapshot);
    if (words) KeyByPlace(words->words, &snapshot.params);
    return {.options = core().options,
            .vocabulary = words ? TextsOf(words->words) : vocabulary,
            .words = std::move(words),
            .posterior = std::move(snapshot.params),
            .minibatches = snapshot.folded.size(),
            .documents = snapshot.counts.items,
            .tokens = snapshot.counts.tokens,
            .search = search,
            .coherence = std::move(coherence),
            .sample = core().options.keep_sample.value_or(false) ? std::optional(sample.Copy())
                                                                 : std::nullopt,
            .refitted_share = refitted_share};
  }

  Summary Learn(Source<Documents>& source, const Observer& observer, const RunOptions& run);

  const TopicOptions options;  // before their number is chosen
  const std::vector<std::string> vocabulary;
  const Context context;
  const Hooks hooks;
  SharedSample sample;
  std::optional<TopicWatch> watch;               // if events are wanted; set before core_made
  std::unique_ptr<SessionCore> made;             // once
  std::atomic<SessionCore*> core_made{nullptr};  // the same, from any thread
  std::optional<TopicSearch> search;             // set before core_made
  // Of the model to continue from; its coherence holds as long as nothing is learnt after it.
  std::optional<uint64_t> continued;  // its minibatches
  std::optional<TopicCoherence> coherence_before;
  std::optional<KeyedRows> posterior_before;  // if its documents are not to be fitted again
  uint64_t tokens_before = 0;
  uint64_t raised = 0;  // by Release()
  double refitted_share = 0;
  bool resumed = false;  // minibatches that are in the posterior may come again

  mutable std::mutex mutex;  // guards what follows
  Summary earlier;           // than the run under way
  Summary now;               // of all
};

}  // namespace sda

#endif  // SDA_TOPICS_SESSION_STATE_H_
