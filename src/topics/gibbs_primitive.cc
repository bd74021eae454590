#include <algorithm>
#include <functional>
#include <utility>

#include "sda/errors.h"
#include "sda/lda_gibbs.h"
#include "topics/primitives.h"

namespace sda {
namespace {

void Check(const TopicOptions& options) {
  auto refuse = [](const std::string& option, const std::string& why) {
    throw UsageError(option + " goes with --primitive vb: " + why);
  };
  if (options.algorithm != "sda") refuse("--algorithm " + options.algorithm, "it is made of VB");
  if (options.precision) refuse("--precision", "sampling has one precision");
  if (options.worker_prior == WorkerPrior::kFixedPrior) {
    refuse("--worker-prior fixed", "by sampling, every worker would find topics of its own");
  }
}

TopicPrimitive Make(const TopicOptions& options, const LdaSpec& spec, const Context& context,
                    const TopicHooks& hooks) {
  GibbsOptions gibbs;
  if (options.sweeps) {
    gibbs.sweeps = *options.sweeps;
    gibbs.averaged = std::clamp(gibbs.sweeps, 1, gibbs.averaged);
  }
  gibbs.variances = options.intervals ? *options.intervals != "off"
                                      : spec.vocabulary * static_cast<uint64_t>(spec.topics) <=
                                            kMostQuickIntervals;
  gibbs.seed = options.seed;
  gibbs.workers = options.workers;
  gibbs.on_first_sweep = hooks.on_start_sweep;
  auto primitive = std::make_unique<LdaGibbs>(spec, gibbs, context);
  TopicPrimitive made;
  made.among = std::bind_front(&LdaGibbs::ChangeAmong, primitive.get());
  made.primitive = std::move(primitive);
  return made;
}

}  // namespace

TopicPrimitiveKind GibbsPrimitive() {
  return {.name = "gibbs",
          .alpha_sum = 2,
          .eta = 0.15,
          .minibatch = [](const TopicOptions&) { return kMinibatch; },
          .first_minibatch = [](const TopicOptions& o) { return Fewer(kFirstMinibatch, o.topics); },
          .check = Check,
          .make = Make};
}

}  // namespace sda
