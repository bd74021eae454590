#include "commands/topic_learner.h"

#include <utility>

#include "commands/topic_options.h"
#include "sda/lda_gibbs.h"
#include "ui/start_progress.h"

namespace sda {
namespace {

void UseSvi(const FitFlags& flags, const LdaOptions& options, const KeyedRows& prior,
            TopicLearner* learner) {
  SviOptions svi{.total_documents = *flags.total_documents};
  if (flags.tau0) svi.tau0 = *flags.tau0;
  if (flags.kappa) svi.kappa = *flags.kappa;
  svi.Validate();
  auto step = std::make_unique<LdaSvi>(options, svi);
  learner->stats = [step = step.get()] { return step->stats(); };
  learner->primitive = std::move(step);
  learner->discount = SviDiscount(svi);
  learner->store = std::make_unique<MemoryStore<KeyedRows>>(
      prior, Snapshot<KeyedRows>{SviStart(options, prior), {}});
}

void UseGibbs(const FitFlags& flags, const LdaOptions& options, bool may_stop,
              TopicLearner* learner) {
  LdaGibbsOptions gibbs_options = GibbsOptionsOf(flags, options.vocabulary);
  gibbs_options.on_first_sweep = StartProgress(may_stop);
  learner->primitive = std::make_unique<LdaGibbs>(gibbs_options);
}

void UseEp(const FitFlags& flags, const LdaOptions& options, bool may_stop, TopicLearner* learner) {
  LdaEpOptions ep_options = EpOptionsOf(flags, options.vocabulary);
  ep_options.on_start_sweep = StartProgress(may_stop);
  auto ep = std::make_unique<LdaEp>(ep_options);
  learner->ep_stats = [ep = ep.get()] { return ep->stats(); };
  learner->primitive = std::move(ep);
}

void UseVb(const FitFlags& flags, LdaOptions options, const LdaVb::OnPass& on_pass, bool may_stop,
           TopicLearner* learner) {
  options.on_start_sweep = StartProgress(may_stop);
  auto vb =
      std::make_unique<LdaVb>(options, flags.algorithm == "batch" ? on_pass : LdaVb::OnPass());
  learner->stats = [vb = vb.get()] { return vb->stats(); };
  learner->primitive = std::move(vb);
}

}  // namespace

TopicLearner MakeTopicLearner(const FitFlags& flags, const LdaOptions& options,
                              const LdaVb::OnPass& on_pass, bool may_stop) {
  KeyedRows prior = LdaPrior(options);
  prior.ShareWork(std::make_shared<ThreadPool>(Cores(flags)));
  TopicLearner learner;
  learner.stats = [] { return LdaStats(); };
  if (flags.algorithm == "svi") {
    UseSvi(flags, options, prior, &learner);
    return learner;
  }
  learner.store = std::make_unique<MemoryStore<KeyedRows>>(std::move(prior));
  if (flags.primitive == "gibbs") {
    UseGibbs(flags, options, may_stop, &learner);
  } else if (flags.primitive == "ep") {
    UseEp(flags, options, may_stop, &learner);
  } else {
    UseVb(flags, options, on_pass, may_stop, &learner);
  }
  return learner;
}

}  // namespace sda
