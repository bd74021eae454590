#ifndef SDA_APPS_COMMANDS_TOPIC_LEARNER_H_
#define SDA_APPS_COMMANDS_TOPIC_LEARNER_H_

#include <functional>
#include <memory>

#include "commands/fit.h"
#include "sda/documents.h"
#include "sda/lda.h"
#include "sda/lda_ep.h"
#include "sda/loop.h"

namespace sda {

// What learns topics as the options ask for it: the primitive, the posterior before the first
// document, and what the primitive counts.
struct TopicLearner {
  std::unique_ptr<Primitive<Documents, KeyedRows>> primitive;
  std::unique_ptr<MemoryStore<KeyedRows>> store;
  std::function<LdaStats()> stats;
  std::function<LdaEpStats()> ep_stats;  // empty unless it is EP
  Discount discount;                     // of SVI; empty for all others
};

// options are LdaOptionsOf(flags). on_pass is told of every pass of --algorithm batch. may_stop: a
// stop ends the first minibatch early.
TopicLearner MakeTopicLearner(const FitFlags& flags, const LdaOptions& options,
                              const LdaVb::OnPass& on_pass, bool may_stop);

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_TOPIC_LEARNER_H_
