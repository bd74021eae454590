#ifndef SDA_TOPICS_SESSION_CORE_H_
#define SDA_TOPICS_SESSION_CORE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lda/lda_posterior.h"
#include "lda/score/held_out_words.h"
#include "lda/score/rate_evidence.h"
#include "sda/context.h"
#include "sda/forgetting_store.h"
#include "sda/keyed_rows.h"
#include "sda/lda_score.h"
#include "sda/store.h"
#include "sda/topic_options.h"
#include "topics/learner.h"
#include "topics/sampled_primitive.h"

namespace sda {

// What a session has as soon as the number of topics is known.
struct SessionCore {
  SessionCore(TopicOptions settled, uint64_t words, const Context& context, const TopicHooks& hooks,
              SharedSample* sample)
      : options(std::move(settled)),
        learner(MakeTopicLearner(options, std::max<uint64_t>(1, words), context, hooks)),
        primitive(*learner.primitive, sample),
        forgetting(MakeForgetting(options, learner.prior, context)),
        plain(forgetting ? nullptr
                         : std::make_unique<MemoryStore<KeyedRows>>(learner.prior, context)),
        store(forgetting ? static_cast<Store<KeyedRows>&>(*forgetting) : *plain) {
    if (learner.start) store.Restore({std::move(*learner.start), {}, {}});
    learner.start.reset();
    if (forgetting) learner.run.discount = forgetting->discount();
  }

  // What makes this no posterior that the run can have come to. Of EP it is not raised yet.
  std::optional<std::string> FaultIn(const KeyedRows& posterior) const {
    return lda::FaultIn(posterior, learner.spec,
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

  const TopicOptions options;
  TopicLearner learner;
  const SampledPrimitive primitive;                              // of the learner
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
