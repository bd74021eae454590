#include <utility>

#include "sda/errors.h"
#include "sda/lda_ep.h"
#include "topics/primitives.h"

namespace sda {
namespace {

constexpr int64_t kEpMinibatch = 1'024;  // it takes memory for every word of it, many times over

void Check(const TopicOptions& options) {
  if (options.algorithm != "sda") {
    throw UsageError("--algorithm " + options.algorithm +
                     " goes with --primitive vb: it is made of VB");
  }
  if (options.sweeps) throw UsageError("--sweeps goes with --primitive gibbs");
  if (options.precision) {
    throw UsageError("--precision goes with --primitive vb: EP has one precision");
  }
  if (options.worker_prior == WorkerPrior::kFixedPrior && options.ep_start == "sampled") {
    throw UsageError(
        "--worker-prior fixed goes with --ep-start noise: by sampling, every worker would find "
        "topics of its own");
  }
  if (options.ep_memory && !(*options.ep_memory > 0 && *options.ep_memory <= 1 << 20)) {
    throw UsageError("--ep-memory must be above 0 and at most 1048576 (GiB)");
  }
}

TopicPrimitive Make(const TopicOptions& options, const LdaSpec& spec, const Context& context,
                    const TopicHooks& hooks) {
  EpOptions ep;
  if (options.ep_updates == "token") ep.updates = EpUpdates::kToken;
  if (options.ep_matching == "log") ep.matching = EpMatching::kLog;
  if (options.ep_damping) ep.damping = *options.ep_damping;
  if (options.ep_tolerance) ep.tolerance = *options.ep_tolerance;
  if (options.ep_sweeps) ep.sweeps = *options.ep_sweeps;
  if (options.ep_memory) ep.memory_bytes = static_cast<uint64_t>(*options.ep_memory * (1 << 30));
  // Every minibatch is a first one: a start that is the same for all.
  if (options.worker_prior == WorkerPrior::kFixedPrior || options.ep_start == "noise") {
    ep.start = EpStart::kNoise;
  }
  ep.seed = options.seed;
  ep.on_start_sweep = hooks.on_start_sweep;
  auto primitive = std::make_unique<LdaEp>(spec, ep, context);
  TopicPrimitive made;
  made.ep_stats = [ep = primitive.get()] { return ep->stats(); };
  made.primitive = std::move(primitive);
  return made;
}

}  // namespace

TopicPrimitiveKind EpPrimitive() {
  return {.name = "ep",
          .alpha_sum = 1,
          .eta = 1,
          .minibatch = [](const TopicOptions&) { return kEpMinibatch; },
          .first_minibatch = [](const TopicOptions&) { return int64_t{0}; },
          .check = Check,
          .make = Make};
}

}  // namespace sda
