#ifndef SDA_TOPICS_LEARNER_H_
#define SDA_TOPICS_LEARNER_H_

#include <optional>

#include "sda/context.h"
#include "sda/keyed_rows.h"
#include "sda/options.h"
#include "sda/topic_options.h"
#include "topics/primitives.h"

namespace sda {

// What learns topics as the options ask for it. The only factory: the session, and so `sda fit` and
// whoever else has one, and the worker of a cluster have theirs from here.
struct TopicLearner : TopicPrimitive {
  LdaSpec spec;
  RunOptions run;
  KeyedRows prior;
  // The posterior before the first document, if that is not the prior: of SVI.
  std::optional<KeyedRows> start;
};

// The options must be settled. Throws UsageError.
TopicLearner MakeTopicLearner(const TopicOptions& options, uint64_t vocabulary,
                              const Context& context, const TopicHooks& hooks = {});

}  // namespace sda

#endif  // SDA_TOPICS_LEARNER_H_
