#include "topics/learner.h"

#include "sda/lda_svi.h"

namespace sda {

TopicLearner MakeTopicLearner(const TopicOptions& options, uint64_t vocabulary,
                              const Context& context, const TopicHooks& hooks) {
  const LdaSpec spec = options.Spec(vocabulary);
  TopicLearner learner{FindTopicPrimitive(options.primitive).make(options, spec, context, hooks),
                       spec, options.Run(), LdaPrior(spec), std::nullopt};
  if (options.algorithm == "svi") {
    learner.start = SviStart(spec, SviOptionsOf(options), learner.prior);
  }
  return learner;
}

}  // namespace sda
