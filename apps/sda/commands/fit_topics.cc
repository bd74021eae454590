#include "commands/fit_topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <thread>

#include "base/text.h"
#include "sda/errors.h"
#include "sda/seed_runs.h"
#include "topics/topic_options_json.h"
#include "ui/command.h"
#include "ui/forgetting_text.h"
#include "ui/start_progress.h"
#include "ui/topic_text.h"

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
      fmt::format("{} of {} of messages were skipped, their cavity not being positive\n",
                  Grouped(stats.skipped_updates), Plural(stats.updates, "update", "updates"));
  if (stats.unconverged_minibatches > 0) {
    text += fmt::format("{} of {} did not converge\n", Grouped(stats.unconverged_minibatches),
                        Plural(minibatches, "minibatch", "minibatches"));
  }
  if (stats.raised_parameters > 0) {
    text += fmt::format("{} raised, since more was taken away than there was\n",
                        Plural(stats.raised_parameters, "parameter was", "parameters were"));
  }
  return text;
}

std::string WordsText(const WordLedger::Accounts& words) {
  std::string text = fmt::format(
      "{} entered, {} left; of the tokens {} were of words before they entered, {} of words that "
      "left\n",
      Plural(words.next, "word", "words"), Grouped(words.words_left), Grouped(words.tokens.waiting),
      Grouped(words.tokens.left));
  if (words.collisions > 0) {
    text += fmt::format("{} between two words of one hash: the later one waits\n",
                        Plural(words.collisions, "collision", "collisions"));
  }
  return text;
}

// Where topics over time are, and what of them had to go.
std::string OverTimeText(const OverTimeReport& over_time) {
  std::string text = fmt::format("topics over time in {}, by {}",
                                 Plural(over_time.buckets, "bucket", "buckets"), over_time.unit);
  const uint64_t memory = over_time.memory >> 20;
  if (over_time.unit != over_time.bucket) {
    text += fmt::format("; those by {} were too many for {} MiB", over_time.bucket, memory);
  }
  if (over_time.cut_share > 0) {
    text +=
        fmt::format("; rare words, of {:.1f}% of the tokens, were cut", 100 * over_time.cut_share);
  }
  return text + "\n";
}

void Show(const TopicReport& run) {
  fmt::print(
      "{}, {} of {}, {}, {:.1f} s\n", Plural(run.summary.counts.items, "document", "documents"),
      Plural(run.summary.counts.tokens, "token", "tokens"), Plural(run.vocabulary, "word", "words"),
      Plural(run.options.topics, "topic", "topics"), run.summary.seconds);
  if (run.words) fmt::print("{}", WordsText(*run.words));
  if (run.ep) fmt::print("{}", EpText(*run.ep, run.summary.minibatches));
  if (run.search) {
    fmt::print("{}", TopicSearchText(*run.search));
  }
  if (run.forgetting) fmt::print("{}", ForgettingText(*run.forgetting, "documents"));
  if (run.coherence) fmt::print("{}", CoherenceText(*run.coherence));
  if (run.stability) fmt::print("{}", StabilityText(*run.stability));
  if (run.over_time) fmt::print("{}", OverTimeText(*run.over_time));
  if (run.small_topics > 0) {
    fmt::print("{} of the topics {} less than 0.1% of the tokens\n", run.small_topics,
               run.small_topics == 1 ? "has" : "have");
  }
  if (run.counts.skipped > 0) {
    fmt::print("{} without a known word skipped\n",
               Plural(run.counts.skipped, "document", "documents"));
  }
  const uint64_t all = run.counts.unknown_tokens + run.counts.tokens;
  if (all > 0) {
    fmt::print("{:.1f}% of the words in the documents are outside the vocabulary\n",
               100.0 * run.counts.unknown_tokens / all);
  }
  if (run.counts.without_id > 0) {
    fmt::print("{} without an id\n", Plural(run.counts.without_id, "document", "documents"));
  }
  if (run.counts.without_time > 0) {
    fmt::print("{} without a time\n", Plural(run.counts.without_time, "document", "documents"));
  }
  if (run.counts.replaced_utf8 > 0) {
    fmt::print("{} replaced\n", Plural(run.counts.replaced_utf8, "invalid UTF-8 sequence was",
                                       "invalid UTF-8 sequences were"));
  }
  if (!run.curve.empty()) {
    fmt::print("held-out log predictive probability {:.4f} per token, on {}\n",
               run.curve.back().log_predictive, Plural(run.test_tokens, "token", "tokens"));
  }
}

// Of a stream that is followed: says what is waited for, unless enough of it is there at once.
class WaitNotice {
 public:
  explicit WaitNotice(const TopicFitOptions& fit) {
    if (!fit.topics.follow || !fit.from.empty() || !fit.topics.vocab.empty()) return;
    std::string line = fmt::format(
        "waiting for {} of {}, from which the words are chosen (--vocab-from); Ctrl-C ends the "
        "wait",
        Plural(fit.topics.vocab_from, "document", "documents"),
        fit.inputs.back() == "-" ? "standard input" : fit.inputs.back());
    line +=
        fit.checkpoint.empty() ? " and learns from those that came" : ", and --resume continues it";
    thread_ = std::jthread([this, line](const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      if (!ended_.wait_for(lock, stop, kSoon, [&] { return stop.stop_requested(); })) Say(line);
    });
  }

 private:
  static constexpr std::chrono::milliseconds kSoon{500};
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

// What a run that begins waits for, beside the documents that the words are chosen from.
std::string AwaitedFirst(const TopicFitOptions& fit, const CorpusOptions& corpus) {
  const std::string first = Plural(corpus.first_minibatch, "document", "documents");
  if (corpus.first_id > 0 || !corpus.resume_from.empty()) return "";
  if (fit.topics.follow) {
    const bool words_are_there =
        !corpus.vocabulary_file.empty() || corpus.first_minibatch > corpus.vocabulary_documents;
    if (!words_are_there || corpus.first_minibatch == 0) return "";
    return "topics form from the first " + first +
           " (--first-minibatch); Ctrl-C ends the wait and learns from those that came";
  }
  const bool piped = std::count(fit.inputs.begin(), fit.inputs.end(), "-") > 0;
  if (!piped || corpus.first_minibatch <= corpus.minibatch) return "";
  return "topics form from the first " + first + ", or fewer if the input ends";
}

void SayWhatIsAwaited(const TopicFitOptions& fit, const CorpusOptions& corpus) {
  const std::string first = AwaitedFirst(fit, corpus);
  if (!first.empty()) Say(first);
  if (fit.topics.follow) Say("waiting for further documents; SIGTERM ends, SIGHUP saves now");
}

void Fit(TopicFitOptions fit, int seeds, const FitFlags& common, const Context& context) {
  fit.output = common.output;
  fit.checkpoint = common.checkpoint;
  fit.checkpoint_every = common.checkpoint_every;
  fit.resume = common.resume;
  if (common.events != "-") fit.events = common.events;
  if (!common.checkpoint.empty()) fit.settings = common.SettingsJson();
  if (fit.topics.follow) BlockHangUp();
  std::unique_ptr<SeedRuns> running;
  const auto watch = [&](int run) {
    const std::string which = seeds > 1 ? fmt::format("run {} of {}", run, seeds) : "";
    const auto details = [&, which, left = TimeLeft()](const Summary& summary) mutable {
      std::string text = Plural(summary.counts.tokens, "token", "tokens");
      if (!which.empty()) text = which + "  " + text;
      const TopicFit& now = running->fit();
      if (const auto score = now.last_score()) text += fmt::format("  held-out {:.4f}", *score);
      return text + left(summary, now.counts());
    };
    TopicFit::Watchers watchers;
    watchers.progress = RunProgress("documents", details);
    const std::string before = which.empty() ? "" : which + ": ";
    watchers.on_start_sweep = StartProgress(before + "topics are forming");
    watchers.on_refit_sweep = StartProgress(before + "documents are fitted together");
    watchers.on_candidate_sweep = CandidateProgress();
    watchers.on_pass = [](const LdaPass& pass, int passes) {
      Say(fmt::format("pass {} of {}: bound {:.6g}", pass.pass, passes, pass.bound));
    };
    if (common.events == "-" && run == 1) {
      watchers.on_event = [](const TopicEvent& event) {
        fmt::print("{}\n", ToJson(event));
        std::fflush(stdout);
      };
    }
    return watchers;
  };
  {
    const WaitNotice notice(fit);
    running = std::make_unique<SeedRuns>(fit, seeds, context, watch);
  }
  if (!context.StopRequested()) SayWhatIsAwaited(fit, running->fit().corpus_options());
  std::optional<HangUpWatcher> hang_up;
  if (fit.topics.follow) hang_up.emplace([&] { running->fit().SaveNow(); });
  const TopicReport report = running->Run();
  const std::string text = report.ToJson();
  if (!common.report.empty()) WriteTextFile(common.report, text + "\n");
  if (common.json) {
    fmt::print("{}\n", text);
    return;
  }
  if (common.events != "-") Show(report);
  Say(fmt::format("{}saved {}; see its topics with: sda topics {}",
                  report.summary.stopped ? "stopped early; " : "", common.output,
                  ShellFile(common.output)));
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
  Fit(std::move(fit), flags.seeds, common, context);
}

void ResumeTopics(const StoredOptions& stored, const FitFlags& common, const Context& context) {
  TopicFitOptions fit = TopicFitOptions::FromJson(stored.options.dump());
  fit.given = stored.settings.value("given", "{}");
  Fit(std::move(fit), 1, common, context);
}

}  // namespace sda
