#ifndef SDA_TOPICS_SESSION_CORE_H_
#define SDA_TOPICS_SESSION_CORE_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "lda/lda_posterior.h"
#include "sda/context.h"
#include "sda/keyed_rows.h"
#include "sda/lda_score.h"
#include "sda/store.h"
#include "sda/topic_options.h"
#include "topics/learner.h"
#include "topics/sampled_primitive.h"

namespace sda {

inline KeyedRows::Selection WordsOf(const HeldOutSplit& split) {
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

// What a session has as soon as the number of topics is known.
struct SessionCore {
  SessionCore(TopicOptions settled, uint64_t words, const Context& context, const TopicHooks& hooks,
              SharedSample* sample, TopicWatch* watch)
      : options(std::move(settled)),
        learner(MakeTopicLearner(options, std::max<uint64_t>(1, words), context, hooks)),
        primitive(*learner.primitive, sample, watch),
        store(learner.prior, context) {
    if (learner.start) store.Restore({std::move(*learner.start), {}, {}});
    learner.start.reset();
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

  // What inference about these documents needs.
  Snapshot<KeyedRows> ReadFor(const HeldOutSplit& split) const {
    Snapshot<KeyedRows> snapshot;
    store.Read(learner.ep_stats ? KeyedRows::Selection() : WordsOf(split), &snapshot);
    Raise(&snapshot.params);
    return snapshot;
  }

  const TopicOptions options;
  TopicLearner learner;
  const SampledPrimitive primitive;  // of the learner
  MemoryStore<KeyedRows> store;
};

}  // namespace sda

#endif  // SDA_TOPICS_SESSION_CORE_H_
