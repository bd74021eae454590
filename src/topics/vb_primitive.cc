#include <algorithm>
#include <functional>

#include "sda/errors.h"
#include "sda/lda_svi.h"
#include "sda/lda_vb.h"
#include "topics/primitives.h"

namespace sda {
namespace {

constexpr int64_t kVbMinibatch = 16'384;  // VB is a little better for larger minibatches

Precision PrecisionOf(const TopicOptions& options) {
  return options.precision == "double" ? Precision::kDouble : Precision::kFloat;
}

VbOptions OptionsOf(const TopicOptions& options, const TopicHooks& hooks) {
  VbOptions vb;
  vb.local.precision = PrecisionOf(options);
  vb.seed = options.seed;
  vb.workers = options.workers;
  vb.on_start_sweep = hooks.on_start_sweep;
  // A start that is the same for all: by the paper, or since every minibatch is a first one.
  if (options.algorithm == "ssu" || options.worker_prior == WorkerPrior::kFixedPrior) {
    vb.start = LdaStart::kMixed;
  }
  if (options.algorithm == "ssu") vb.outer_iterations = 1;
  if (options.algorithm == "batch") {
    vb.outer_iterations = *options.passes;
    vb.start = LdaStart::kPrior;
    vb.outer_tolerance = 0;
  }
  return vb;
}

void Check(const TopicOptions& options) {
  if (options.sweeps) throw UsageError("--sweeps goes with --primitive gibbs");
}

TopicPrimitive Make(const TopicOptions& options, const LdaSpec& spec, const Context& context,
                    const TopicHooks& hooks) {
  TopicPrimitive made;
  if (options.algorithm == "svi") {
    auto svi = std::make_unique<LdaSvi>(spec, SviOptionsOf(options), context);
    made.stats = [svi = svi.get()] { return svi->stats(); };
    made.primitive = std::move(svi);
    return made;
  }
  auto vb = std::make_unique<LdaVb>(spec, OptionsOf(options, hooks), context,
                                    options.algorithm == "batch" ? hooks.on_pass : LdaVb::OnPass());
  made.stats = [vb = vb.get()] { return vb->stats(); };
  made.among = std::bind_front(&LdaVb::ChangeAmong, vb.get());
  made.primitive = std::move(vb);
  return made;
}

int64_t UsualMinibatch(const TopicOptions& options) {
  if (options.algorithm != "sda") return kMinibatch;
  return std::max(kMinibatch, Fewer(kVbMinibatch, options.topics));
}

}  // namespace

SviOptions SviOptionsOf(const TopicOptions& options) {
  SviOptions svi{.total_documents = options.total_documents.value_or(0)};
  if (options.tau0) svi.tau0 = *options.tau0;
  if (options.kappa) svi.kappa = *options.kappa;
  svi.local.precision = PrecisionOf(options);
  svi.seed = options.seed;
  svi.workers = options.workers;
  svi.Validate();
  return svi;
}

TopicPrimitiveKind VbPrimitive() {
  return {.name = "vb",
          .alpha_sum = 1,
          .eta = 0.3,
          .minibatch = UsualMinibatch,
          .first_minibatch = [](const TopicOptions& o) { return Fewer(kFirstMinibatch, o.topics); },
          .check = Check,
          .make = Make};
}

}  // namespace sda
