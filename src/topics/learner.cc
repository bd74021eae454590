#include "topics/learner.h"

#include <fmt/format.h>

#include "base/machine_memory.h"
#include "base/text.h"
#include "sda/forgetting.h"
#include "sda/lda_svi.h"

namespace sda {

TopicLearner MakeTopicLearner(const TopicOptions& options, uint64_t vocabulary,
                              const Context& context, const TopicHooks& hooks) {
  const LdaSpec spec = options.Spec(vocabulary);
  const double sums =
      options.half_life == kAutoHalfLife ? static_cast<double>(ForgettingRates(1).size()) : 1.0;
  ExpectMemoryFor(fmt::format("a model of {} topics and {} words", Grouped(options.topics),
                              Grouped(vocabulary)),
                  8.0 * sums * options.topics * static_cast<double>(vocabulary),
                  sums == 1 ? "it needs fewer topics or a smaller vocabulary"
                            : "with --half-life auto it is held five times; it needs fewer topics, "
                              "a smaller vocabulary or a fixed --half-life");
  TopicHooks watched = hooks;
  watched.on_start_sweep = [context, asked = hooks.on_start_sweep](int sweep, int sweeps) {
    context.ThrowIfInterrupted();
    return !asked || asked(sweep, sweeps);
  };
  TopicLearner learner{FindTopicPrimitive(options.primitive).make(options, spec, context, watched),
                       spec, options.Run(), LdaPrior(spec), std::nullopt};
  if (options.algorithm == "svi") {
    learner.start = SviStart(spec, SviOptionsOf(options), learner.prior);
  }
  return learner;
}

}  // namespace sda
