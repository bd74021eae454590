#ifndef SDA_TOPICS_SESSION_CORE_H_
#define SDA_TOPICS_SESSION_CORE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lda/infer/timed_primitive.h"
#include "lda/lda_posterior.h"
#include "lda/score/held_out_words.h"
#include "lda/score/rate_evidence.h"
#include "sda/context.h"
#include "sda/forgetting_store.h"
#include "sda/keyed_rows.h"
#include "sda/lda_score.h"
#include "sda/store.h"
#include "sda/topic_options.h"
#include "topics/growing_primitive.h"
#include "topics/growing_words.h"
#include "topics/learner.h"
#include "topics/sampled_primitive.h"

namespace sda {

// What a session has as soon as the number of topics is known.
struct SessionCore {
  // The words, the sample and the watch must outlive this; the watch may be null.
  SessionCore(TopicOptions settled, const std::vector<std::string>& words, const Context& context,
              const TopicHooks& hooks, SharedSample* sample, TopicWatch* watch)
      : options(std::move(settled)),
        learner(MakeTopicLearner(options, std::max<uint64_t>(1, words.size()), context, hooks)),
        timed(options.Grows() ? nullptr : MakeTimed(context)),
        primitive(MakePrimitive(words, sample, watch)),
        forgetting(MakeForgetting(options, learner.prior, context)),
        plain(forgetting ? nullptr
                         : std::make_unique<MemoryStore<KeyedRows>>(PriorOf(words), context)),
        store(forgetting ? static_cast<Store<KeyedRows>&>(*forgetting) : *plain) {
    if (learner.start) store.Restore({std::move(*learner.start), {}, {}});
    learner.start.reset();
    if (forgetting) learner.run.discount = forgetting->discount();
  }

  std::unique_ptr<lda::TimedPrimitive> MakeTimed(const Context& context) {
    return std::make_unique<lda::TimedPrimitive>(std::move(learner.primitive), learner.spec,
                                                 options.Timing(), options.seed, context);
  }
  std::unique_ptr<Primitive<Documents, KeyedRows>> MakePrimitive(
      const std::vector<std::string>& words, SharedSample* sample, TopicWatch* watch) const {
    if (options.Grows()) return std::make_unique<GrowingPrimitive>(learner, sample, watch);
    return std::make_unique<SampledPrimitive>(*timed, learner.spec, words, sample, watch);
  }
  KeyedRows PriorOf(const std::vector<std::string>& words) const {
    KeyedRows prior = learner.prior;
    if (options.Grows()) prior.SetWords(WordLedger(WordLimitsOf(options), words));
    return prior;
  }

  // The model with the words of a posterior.
  LdaSpec SpecOf(const KeyedRows& posterior) const {
    LdaSpec spec = learner.spec;
    if (posterior.words() != nullptr) spec.vocabulary = posterior.words()->size();
    return spec;
  }

  // What makes this no posterior that the run can have come to. Of EP it is not raised yet.
  std::optional<std::string> FaultIn(const KeyedRows& posterior) const {
    if (options.Grows() && posterior.words() == nullptr) return "it does not say its words";
    return lda::FaultIn(posterior, SpecOf(posterior),
                        learner.ep_stats ? lda::LambdaSigns::kAny : lda::LambdaSigns::kPositive);
  }

  // Parameters that several workers of EP took too much from are raised.
  uint64_t Raise(KeyedRows* posterior) const {
    if (!learner.ep_stats) return 0;
    return RaiseToPositive(learner.spec.eta, learner.spec.vocabulary, posterior);
  }

  // The evidence for each rate of forgetting, if that is learnt.
  Weigher<Documents> weigher() const {
    if (!forgetting) return {};
    return [this](const Minibatch<Documents>& minibatch) {
      return lda::RateEvidence(*forgetting, minibatch.data, learner.spec,
                               learner.ep_stats != nullptr);
    };
  }

  // What inference about these documents needs.
  Snapshot<KeyedRows> ReadFor(const HeldOutSplit& split) const {
    Snapshot<KeyedRows> snapshot;
    store.Read(learner.ep_stats ? KeyedRows::Selection() : lda::WordsOf(split), &snapshot);
    Raise(&snapshot.params);
    return snapshot;
  }

  // The same of documents that may have a dictionary: the topics of their words, these as the
  // topics have them, and the model of this moment.
  struct Inference {
    KeyedRows topics;
    Documents documents;
    LdaSpec spec;
  };
  Inference InferenceOf(const Documents& documents) const {
    if (!options.Grows()) return {ReadFor({documents, {}}).params, documents, learner.spec};
    Snapshot<KeyedRows> now;
    store.Read(KeyedRows::Selection(), &now);  // a word's place is among all
    Documents known = AmongWords(documents, *now.params.words());
    const LdaSpec spec = SpecOf(now.params);
    KeyByPlace(&now.params);
    return {std::move(now.params), std::move(known), spec};
  }

  const TopicOptions options;
  TopicLearner learner;
  const std::unique_ptr<lda::TimedPrimitive> timed;  // has that of the learner, if words are fixed
  const std::unique_ptr<Primitive<Documents, KeyedRows>> primitive;
  const std::unique_ptr<ForgettingStore<KeyedRows>> forgetting;  // if that is learnt
  const std::unique_ptr<MemoryStore<KeyedRows>> plain;           // else
  Store<KeyedRows>& store;                                       // the one of them

 private:
  static std::unique_ptr<ForgettingStore<KeyedRows>> MakeForgetting(const TopicOptions& options,
                                                                    const KeyedRows& prior,
                                                                    const Context& context) {
    if (options.half_life != kAutoHalfLife) return nullptr;
    const ForgettingRates rates(static_cast<double>(*options.minibatch));
    return std::make_unique<ForgettingStore<KeyedRows>>(prior, rates, context);
  }
};

}  // namespace sda

#endif  // SDA_TOPICS_SESSION_CORE_H_
