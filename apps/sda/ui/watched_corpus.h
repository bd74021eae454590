#ifndef SDA_APPS_UI_WATCHED_CORPUS_H_
#define SDA_APPS_UI_WATCHED_CORPUS_H_

#include <optional>
#include <utility>

#include "sda/context.h"
#include "sda/corpus.h"
#include "sda/internal/stopwatch.h"
#include "sda/observer.h"
#include "ui/command.h"

namespace sda {

// Documents for something other than a run, with the progress that a run would show: who asks for
// the next ones is done with those before.
class WatchedCorpus : public CorpusSource {
 public:
  WatchedCorpus(CorpusOptions options, const Context& context,
                Observer progress = RunProgress("documents"))
      : CorpusSource(std::move(options), context),
        context_(context),
        progress_(std::move(progress)) {}

  std::optional<Minibatch<Documents>> Next() override {
    auto minibatch = CorpusSource::Next();
    done_.counts += handed_out_;
    done_.seconds = watch_.seconds();
    done_.stopped = context_.StopRequested();
    done_.finished = !minibatch;
    if (progress_) progress_(done_);
    handed_out_ = minibatch ? minibatch->counts : Counts();
    return minibatch;
  }

 private:
  const Context context_;
  const Observer progress_;
  const Stopwatch watch_;
  Counts handed_out_;
  Summary done_;
};

}  // namespace sda

#endif  // SDA_APPS_UI_WATCHED_CORPUS_H_
