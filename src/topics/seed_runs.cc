#include "sda/seed_runs.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/safe_file.h"
#include "base/text.h"
#include "sda/errors.h"

namespace sda {
namespace {

void CheckGoesTogether(const TopicFitOptions& options, int seeds) {
  if (seeds < 1) throw UsageError(fmt::format("--seeds is {}, must be at least 1", seeds));
  if (seeds == 1) return;
  auto refuse = [](const std::string& option, const std::string& why) {
    throw UsageError("--seeds does not go with " + option + ": " + why);
  };
  if (options.topics.follow) {
    refuse("--follow",
           "each run reads the input from its beginning to its end; fit a file that ends");
  }
  if (!options.checkpoint.empty() || options.resume) {
    refuse("--checkpoint and --resume", "fit with them and without --seeds");
  }
  if (!options.events.empty()) refuse("--events", "fit with it and without --seeds");
  if (!options.from.empty()) {
    refuse("--from", "the topics are those of the model, whatever the seed; fit all of the input");
  }
  for (const std::string& input : options.inputs) {
    if (CanReadTwice(input)) continue;
    refuse(input == "-" ? "standard input" : "the pipe " + Shown(input),
           "each run reads the input anew; write it to a file first");
  }
  if (options.topics.seed >
      std::numeric_limits<uint64_t>::max() - static_cast<uint64_t>(seeds - 1)) {
    throw UsageError(
        fmt::format("--seeds is {} and --seed {}, but the last seed must be at most {}", seeds,
                    options.topics.seed, std::numeric_limits<uint64_t>::max()));
  }
}

// Words are chosen from the first documents, whatever the seed.
void CheckSameInput(const TopicModel& first, const TopicModel& other, int run) {
  if (first.vocabulary == other.vocabulary && first.documents == other.documents &&
      first.tokens == other.tokens) {
    return;
  }
  throw InputError(fmt::format(
      "the input has changed: run {} read {} of {}, the first one {} of {}, or their words differ",
      run, Plural(other.documents, "document", "documents"),
      Plural(other.tokens, "token", "tokens"), Plural(first.documents, "document", "documents"),
      Plural(first.tokens, "token", "tokens")));
}

size_t FoundAgain(const std::vector<TopicMatch>& matches) {
  size_t found = 0;
  for (const TopicMatch& match : matches) found += match.cosine >= kFoundAgain;
  return found;
}

}  // namespace

SeedRuns::SeedRuns(TopicFitOptions options, int seeds, Context context, Watch watch)
    : options_(std::move(options)),
      seeds_(seeds),
      context_(std::move(context)),
      watch_(std::move(watch)) {
  CheckGoesTogether(options_, seeds_);
  fit_ = MakeFit(options_, context_, 1);
}

std::unique_ptr<TopicFit> SeedRuns::MakeFit(TopicFitOptions options, const Context& context,
                                            int run) {
  TopicFit::Watchers watchers = watch_ ? watch_(run) : TopicFit::Watchers();
  if (seeds_ > 1) watchers.on_model = [this](TopicModel model) { model_ = std::move(model); };
  return std::make_unique<TopicFit>(std::move(options), context, std::move(watchers));
}

void SeedRuns::SayRun(int run) const {
  if (seeds_ == 1) return;
  const uint64_t seed = options_.topics.seed + static_cast<uint64_t>(run - 1);
  context_.Log(fmt::format("run {} of {}, with seed {}", run, seeds_, seed));
}

TopicReport SeedRuns::Run() {
  SayRun(1);
  TopicReport report = fit_->Run();
  if (seeds_ > 1) {
    try {
      Compare(&report);
    } catch (...) {
      context_.Log(options_.output + " is the model of the first run, compared with no other");
      throw;
    }
  }
  return report;
}

// The model of this run; none if it was stopped.
std::optional<TopicModel> SeedRuns::RunOther(const TopicOptions& chosen, int run) {
  TopicFitOptions options = options_;
  options.output.clear();  // not to be saved
  if (options.topics.topics == kAutoTopics) {
    options.topics = options.topics.Settled().WithTopics(chosen.topics);
  }
  options.topics.seed += static_cast<uint64_t>(run - 1);
  // What there is to be said about the input, the first run has said.
  const Context silent(context_.threads(), context_.token());
  try {
    if (context_.StopRequested()) return std::nullopt;
    SayRun(run);
    fit_.reset();  // and all it has in memory
    fit_ = MakeFit(std::move(options), silent, run);
    const bool stopped = fit_->Run().summary.stopped;
    std::optional<TopicModel> model = std::exchange(model_, std::nullopt);
    return stopped ? std::nullopt : std::move(model);
  } catch (const StoppedAtStart&) {
    return std::nullopt;
  }
}

void SeedRuns::Compare(TopicReport* report) {
  TopicModel first = *std::exchange(model_, std::nullopt);
  std::vector<std::vector<TopicMatch>> matches;
  bool stopped = report->summary.stopped;
  for (int run = 2; run <= seeds_ && !stopped; ++run) {
    const std::optional<TopicModel> other = RunOther(report->options, run);
    stopped = !other;
    if (stopped) break;
    CheckSameInput(first, *other, run);
    matches.push_back(MatchTopics(first.posterior, other->posterior, first.vocabulary.size()));
    context_.Log(fmt::format("run {} of {} found {} of {} again", run, seeds_,
                             FoundAgain(matches.back()),
                             Plural(matches.back().size(), "topic", "topics")));
  }
  if (stopped) {
    context_.Log(
        fmt::format("stopped in run {} of {}, which does not count", matches.size() + 2, seeds_));
  }
  if (matches.empty()) return;
  report->stability = first.stability = StabilityFrom(first.posterior.width(), matches);
  SaveTopicModel(first, options_.output);
}

}  // namespace sda
