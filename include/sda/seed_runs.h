#ifndef SDA_SEED_RUNS_H_
#define SDA_SEED_RUNS_H_

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sda/context.h"
#include "sda/export.h"
#include "sda/topic_fit.h"
#include "sda/topic_stability.h"

namespace SDA_EXPORT sda {

// What `sda fit --seeds R` does: the whole fit R times, with the seeds S, S + 1, ..., S being that
// of the options. The model saved is that of the first run, as one run alone would save it; it is
// told which of its topics the other runs found too. With --topics auto the first run chooses their
// number. In memory are, at most, the posterior of the first run and that of the run at work.
class SeedRuns {
 public:
  // Who watches a run; they are numbered from 1.
  using Watch = std::function<TopicFit::Watchers(int run)>;

  // Opens the first run. One seed is a TopicFit. Throws UsageError for options that do not go with
  // several, and as TopicFit.
  SeedRuns(TopicFitOptions options, int seeds, Context context, Watch watch = {});

  // Runs all of them. The report is that of the first, with the stability of its topics. A run that
  // is stopped ends them all; the ones before it count. Throws as TopicFit, and InputError if the
  // input has changed between two runs; the model of the first run is then saved.
  TopicReport Run();

  // The run that is at work. It is another one in the next run: with several seeds it is for those
  // who watch, and before Run().
  TopicFit& fit() { return *fit_; }

 private:
  std::unique_ptr<TopicFit> MakeFit(TopicFitOptions options, const Context& context, int run);
  void SayRun(int run) const;
  std::optional<TopicModel> RunOther(const TopicOptions& chosen, int run);
  void Compare(TopicReport* report);

  const TopicFitOptions options_;
  const int seeds_;
  const Context context_;
  const Watch watch_;
  std::optional<TopicModel> model_;  // of the run that ended last, until it is taken
  std::unique_ptr<TopicFit> fit_;
};

}  // namespace sda

#endif  // SDA_SEED_RUNS_H_
