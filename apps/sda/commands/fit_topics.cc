#include "commands/fit_topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "sda/errors.h"
#include "topics/topic_options_json.h"
#include "ui/command.h"
#include "ui/start_progress.h"

namespace sda {
namespace {

using nlohmann::json;

TopicFitOptions FitOptionsOf(const FitFlags& common, const TopicFlags& flags) {
  TopicFitOptions fit;
  fit.topics = flags.options;
  fit.topics.primitive = common.primitive;
  fit.topics.seed = common.seed;
  fit.topics.format = common.format;
  fit.topics.schedule = common.schedule;
  fit.topics.workers = common.workers;
  fit.topics.worker_prior = common.worker_prior;
  fit.topics.half_life = common.half_life;
  fit.topics.minibatch = common.minibatch;
  fit.topics.first_minibatch = common.first_minibatch;
  fit.topics.minibatch_seconds = common.minibatch_seconds;
  fit.topics.follow = common.follow;
  fit.inputs = common.inputs;
  fit.from = flags.from;
  fit.holdout = flags.holdout;
  fit.split = flags.split == "alternate" ? SplitRule::kAlternate : SplitRule::kHalfTypes;
  return fit;
}

// Those of the options that were given, for a model to continue from.
std::string GivenOptions(const CLI::App& command, const TopicOptions& options) {
  const json all = TopicOptionsToJson(options);
  json given = json::object();
  for (const auto& [key, value] : all.items()) {
    if (command.count(FlagOf(key)) > 0) given[key] = value;
  }
  try {
    return given.dump();
  } catch (const json::exception&) {
    throw UsageError("an option that is given beside --from is not UTF-8");
  }
}

// What is left, from how the share of the input that was read has grown.
class TimeLeft {
 public:
  std::string operator()(const Summary& summary, const CorpusCounts& counts) {
    if (counts.total_bytes == 0 || counts.bytes == 0 || summary.finished) return "";
    const double share = std::min(1.0, static_cast<double>(counts.bytes) / counts.total_bytes);
    // The first minibatch takes longer than others of its size, and tells nothing.
    if (!first_) first_ = {summary.seconds, share};
    const auto [seconds, before] = *first_;
    if (share <= before) return "";
    return fmt::format("  {:.0f} s left",
                       (summary.seconds - seconds) * (1 - share) / (share - before));
  }

 private:
  std::optional<std::pair<double, double>> first_;  // seconds, and share of the input then
};

std::string EpText(const EpStats& stats, uint64_t minibatches) {
  std::string text =
      fmt::format("{} of {} updates of messages were skipped, their cavity not being positive\n",
                  Grouped(stats.skipped_updates), Grouped(stats.updates));
  if (stats.unconverged_minibatches > 0) {
    text += fmt::format("{} of {} minibatches did not converge\n",
                        Grouped(stats.unconverged_minibatches), Grouped(minibatches));
  }
  if (stats.raised_parameters > 0) {
    text += fmt::format("{} parameters were raised, since more was taken away than there was\n",
                        Grouped(stats.raised_parameters));
  }
  return text;
}

void Show(const TopicReport& run) {
  fmt::print("{}, {} tokens of {} words, {} topics, {:.1f} s\n",
             Plural(run.summary.counts.items, "document", "documents"),
             Grouped(run.summary.counts.tokens), Grouped(run.vocabulary), run.options.topics,
             run.summary.seconds);
  if (run.ep) fmt::print("{}", EpText(*run.ep, run.summary.minibatches));
  if (run.small_topics > 0) {
    fmt::print("{} of the topics have less than 0.1% of the tokens\n", run.small_topics);
  }
  if (run.counts.skipped > 0) {
    fmt::print("{} without a known word skipped\n",
               Plural(run.counts.skipped, "document", "documents"));
  }
  if (run.counts.replaced_utf8 > 0) {
    fmt::print("{} invalid UTF-8 sequences were replaced\n", Grouped(run.counts.replaced_utf8));
  }
  if (!run.curve.empty()) {
    fmt::print("held-out log predictive probability {:.4f} per token, on {} tokens\n",
               run.curve.back().log_predictive, Grouped(run.test_tokens));
  }
}

void SayWhatIsAwaited(const TopicFitOptions& fit, const CorpusOptions& corpus) {
  if (std::count(fit.inputs.begin(), fit.inputs.end(), "-") > 0 && corpus.first_id == 0 &&
      corpus.first_minibatch > corpus.minibatch) {
    Say(fmt::format("topics form from the first {} documents, or fewer if the input ends",
                    Grouped(corpus.first_minibatch)));
  }
  if (fit.topics.follow) Say("waiting for further documents; SIGTERM ends, SIGHUP saves now");
}

void Fit(TopicFitOptions fit, const FitFlags& common, const Context& context) {
  fit.output = common.output;
  fit.checkpoint = common.checkpoint;
  fit.checkpoint_every = common.checkpoint_every;
  fit.resume = common.resume;
  if (!common.checkpoint.empty()) fit.settings = common.SettingsJson();
  if (fit.topics.follow) BlockHangUp();
  std::unique_ptr<TopicFit> running;
  TimeLeft left;
  const auto details = [&](const Summary& summary) {
    std::string text = fmt::format("{} tokens", Grouped(summary.counts.tokens));
    if (const auto score = running->last_score()) text += fmt::format("  held-out {:.4f}", *score);
    return text + left(summary, running->counts());
  };
  TopicFit::Watchers watchers;
  watchers.progress = ShowProgress(stderr, "documents", details);
  watchers.on_start_sweep = StartProgress();
  watchers.on_pass = [](const LdaPass& pass, int passes) {
    Say(fmt::format("pass {} of {}: bound {:.6g}", pass.pass, passes, pass.bound));
  };
  running = std::make_unique<TopicFit>(fit, context, std::move(watchers));
  SayWhatIsAwaited(fit, running->corpus_options());
  std::optional<HangUpWatcher> hang_up;
  if (fit.topics.follow) hang_up.emplace([&] { running->SaveNow(); });
  const TopicReport report = running->Run();
  const std::string text = report.ToJson();
  if (!common.report.empty()) WriteTextFile(common.report, text + "\n");
  if (common.json) {
    fmt::print("{}\n", text);
    return;
  }
  Show(report);
  Say(fmt::format("{}saved {}; see its topics with: sda topics {}",
                  report.summary.stopped ? "stopped early; " : "", common.output, common.output));
}

}  // namespace

void FitTopics(const FitFlags& common, const TopicFlags& flags, const CLI::App& command,
               const Context& context) {
  TopicFitOptions fit = FitOptionsOf(common, flags);
  if (!flags.from.empty()) {
    fit.given = GivenOptions(command, fit.topics);
    std::error_code ignored;
    if (std::filesystem::equivalent(common.output, flags.from, ignored) &&
        (common.follow || !common.checkpoint.empty())) {
      throw UsageError(
          "--output is the model to continue from, which must stay as it is with --checkpoint or "
          "--follow");
    }
  }
  Fit(std::move(fit), common, context);
}

void ResumeTopics(const StoredOptions& stored, const FitFlags& common, const Context& context) {
  TopicFitOptions fit = TopicFitOptions::FromJson(stored.options.dump());
  fit.given = stored.settings.value("given", "{}");
  Fit(std::move(fit), common, context);
}

}  // namespace sda
