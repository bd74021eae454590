#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "base/folder.h"
#include "commands/fit_topics.h"
#include "compare/compare_results.h"
#include "sda/errors.h"
#include "sda/topic_options.h"
#include "ui/command.h"

namespace sda {
namespace {

namespace fs = std::filesystem;

// A first look: about a second a run on one core.
constexpr CorpusLimits kQuick = {
    .documents = 8000, .tokens = 600'000, .held_out = 500, .held_out_tokens = 60'000};
constexpr uint64_t kHeldOut = 2000;  // unless the user chooses them
// For primitives that take too long on all documents.
constexpr CorpusLimits kPart = {
    .documents = 1000, .tokens = 100'000, .held_out = 200, .held_out_tokens = 20'000};

struct CompareFlags {
  TopicOptions corpus;  // the options about documents
  std::vector<std::string> inputs;
  std::string holdout;
  std::string output;
  std::vector<int> topics;
  std::optional<int> seeds, workers;
  uint64_t documents = 0;
  bool quick = false;
  std::string command;
};

// This program's command line, as one would type it again.
std::string OwnCommand() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  return ShellCommand(arguments);
}

std::string DurationText(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.0f} min", seconds / 60);
}

// Estimates how long the remaining runs will take from those that are done.
class Estimate {
 public:
  void Add(const RunSettings& settings, double seconds) {
    auto& [runs, sum] = measured_[Kind(settings)];
    runs += 1;
    sum += seconds;
    weight_ += Weight(settings);
    seconds_ += seconds;
  }
  double Seconds(const RunSettings& settings) const {
    const auto found = measured_.find(Kind(settings));
    if (found != measured_.end()) return found->second.second / found->second.first;
    return weight_ > 0 ? Weight(settings) * seconds_ / weight_ : 0;
  }

 private:
  static std::string Kind(const RunSettings& settings) {
    return settings.algorithm + settings.primitive + settings.corpus;
  }
  // Before a kind was measured: rough shares.
  static double Weight(const RunSettings& settings) {
    if (settings.algorithm != "sda") return 1;
    return settings.primitive == "vb" ? 3 : 5;
  }
  std::map<std::string, std::pair<double, double>> measured_;
  double weight_ = 0, seconds_ = 0;
};

// Does all runs of the plan that are still missing, and reports its progress.
class Comparing {
 public:
  Comparing(Comparison* comparison, std::string folder, const Context& context)
      : comparison_(*comparison),
        context_(context),
        runner_(std::move(folder), [comparison](const std::string& name) {
          return name == "part" ? comparison->part.hash : comparison->corpus.hash;
        }) {}

  // False if a stop was requested.
  bool Run() {
    FindEarlier();
    for (const PlannedRun& planned : comparison_.plan) {
      const std::string name = planned.settings.Name();
      if (comparison_.results.count(name) > 0) continue;
      const auto result = runner_.Run(planned.settings, [&] { return Tick(planned); });
      if (!result) return false;
      Took(planned, *result);
      comparison_.results[name] = *result;
      Show(planned, *result);
    }
    return true;
  }

 private:
  void FindEarlier() {
    std::map<std::string, bool> seen;
    for (const PlannedRun& planned : comparison_.plan) {
      const std::string name = planned.settings.Name();
      if (!seen.emplace(name, true).second) continue;
      ++total_;
      if (const auto earlier = runner_.Earlier(planned.settings)) {
        comparison_.results[name] = *earlier;
        Took(planned, *earlier);
      }
    }
    Say(fmt::format("{} runs{}", total_,
                    comparison_.results.empty()
                        ? ""
                        : fmt::format(", {} of them done before", comparison_.results.size())));
  }

  void Took(const PlannedRun& planned, const RunResult& result) {
    if (result.error.empty()) estimate_.Add(planned.settings, result.wall_seconds);
  }

  double SecondsLeft() const {
    double left = 0;
    std::map<std::string, bool> seen;
    for (const PlannedRun& planned : comparison_.plan) {
      const std::string name = planned.settings.Name();
      if (comparison_.results.count(name) == 0 && seen.emplace(name, true).second) {
        left += estimate_.Seconds(planned.settings);
      }
    }
    return left;
  }

  std::string Left() const {
    const double left = SecondsLeft();
    return left > 0 ? fmt::format("about {} left", DurationText(left)) : "";
  }

  bool Tick(const PlannedRun& planned) {
    if (terminal_ && std::chrono::steady_clock::now() >= next_) {
      next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
      Line(fmt::format("run {} of {}: {}  {}", comparison_.results.size() + 1, total_,
                       What(planned), Left()));
    }
    return !context_.StopRequested();
  }

  void Show(const PlannedRun& planned, const RunResult& result) {
    if (!result.error.empty()) {
      if (terminal_) Line("");
      Say(fmt::format("{}: failed: {}", What(planned), result.error));
    } else if (!terminal_) {
      Say(fmt::format("run {} of {}: {}: {:.4f} in {:.1f} s  {}", comparison_.results.size(),
                      total_, What(planned), result.score, result.wall_seconds, Left()));
    } else if (comparison_.results.size() == total_) {
      Line("");
    }
  }

  static std::string What(const PlannedRun& planned) {
    return fmt::format("{}, seed {}", LabelOf(planned), planned.settings.seed);
  }

  static void Line(const std::string& text) {
    std::fputs(("\r" + text + "\x1b[K").c_str(), stderr);
  }

  Comparison& comparison_;
  const Context context_;
  Runner runner_;
  Estimate estimate_;
  size_t total_ = 0;
  const bool terminal_ = isatty(STDERR_FILENO) == 1 && !Quiet();
  std::chrono::steady_clock::time_point next_;
};

// The folder may be new, empty, or of an earlier comparison: no other files are overwritten.
void CheckFolder(const std::string& folder) {
  if (folder.empty()) throw UsageError("--output is empty, must name a folder");
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder)) throw UsageError(folder + ": is not a folder");
  const std::vector<std::string> names = NamesIn(folder);
  // Also what one that was killed has left of it.
  auto is_corpus = [](const std::string& name) { return name.starts_with("corpus.ldac"); };
  if (!names.empty() && std::none_of(names.begin(), names.end(), is_corpus)) {
    throw UsageError(folder + ": is neither empty nor an earlier comparison; name another folder");
  }
}

CorpusOptions CorpusOf(const TopicOptions& options, const std::vector<std::string>& inputs,
                       const std::string& holdout) {
  CorpusOptions corpus = options.Settled().Corpus();
  corpus.inputs = inputs;
  if (!holdout.empty()) corpus.held_out = ReadDocumentNumbers(holdout);
  return corpus;
}

CorpusLimits LimitsOf(const CompareFlags& flags) {
  CorpusLimits limits = flags.quick ? kQuick : CorpusLimits{};
  if (!flags.quick && flags.holdout.empty()) limits.held_out = kHeldOut;
  if (flags.documents > 0) {
    limits.documents = flags.documents;
    limits.tokens = 0;
  }
  return limits;
}

void Compare(const CompareFlags& flags) {
  CheckFolder(flags.output);
  Comparison comparison;
  comparison.command = flags.command;
  PlanOptions& options = comparison.options;
  options.quick = flags.quick;
  if (flags.topics.size() == 1) options.topics = flags.topics[0];
  if (flags.topics.size() > 1) options.try_topics = flags.topics;
  std::sort(options.try_topics.begin(), options.try_topics.end());
  options.seeds = flags.seeds.value_or(flags.quick ? 2 : 3);
  options.workers = flags.workers.value_or(flags.quick ? 16 : 32);
  const Context context = ProgramContext();
  options.cores = context.threads();
  options.primitives = TopicPrimitives();
  options.Validate();

  const CorpusOptions corpus = CorpusOf(flags.corpus, flags.inputs, flags.holdout);
  if (isatty(STDERR_FILENO) == 1) Say("reading the documents");
  comparison.corpus = CopyCorpus(corpus, LimitsOf(flags), flags.output, "corpus", context);
  options.documents = comparison.corpus.documents;
  comparison.plan = MakePlan(options);
  const bool part = std::any_of(comparison.plan.begin(), comparison.plan.end(),
                                [](auto& planned) { return planned.settings.corpus == "part"; });
  if (part) {
    TopicOptions copied;
    copied.format = "ldac";
    copied.vocab = flags.output + "/corpus.vocab.txt";
    comparison.part = CopyCorpus(
        CorpusOf(copied, {flags.output + "/corpus.ldac"}, flags.output + "/corpus.holdout.txt"),
        kPart, flags.output, "part", context);
    options.part_documents = comparison.part.documents;
    comparison.plan = MakePlan(options);
  }

  if (!Comparing(&comparison, flags.output, context).Run()) {
    throw IoError("stopped; to resume: " + flags.command);
  }
  WriteReport(comparison, flags.output);
  fmt::print("{}\n", Advice(comparison));
  for (const std::string& finding : Findings(comparison)) fmt::print("{}\n", finding);
  Say(fmt::format("the report is {}/report.html", flags.output));
  const auto failed = std::count_if(comparison.results.begin(), comparison.results.end(),
                                    [](auto& result) { return !result.second.error.empty(); });
  if (failed > 0) throw IoError(fmt::format("{} runs failed", failed));
}

}  // namespace

void AddCompare(CLI::App* app) {
  CLI::App* command = app->add_subcommand(
      "compare", "The paper's experiments on your own documents, with a report");
  auto flags = std::make_shared<CompareFlags>();
  command->add_option("INPUT", flags->inputs, "Documents; - is standard input")->required();
  command->add_option("-o,--output", flags->output, "Folder for the report and all it is made from")
      ->required();
  command->add_flag("--quick", flags->quick,
                    "A first look: a sample of at most 8000 documents, fewer points and seeds");
  command
      ->add_option("--topics", flags->topics,
                   "Default 100; of several, such as 20,50,100, only sda fit with each is compared")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("N,...");
  command->add_option("--seeds", flags->seeds,
                      "Runs of each algorithm in the table; default 3, with --quick 2");
  command->add_option("--workers", flags->workers,
                      "Of the table's row with many; default 32, with --quick 16");
  command->add_option("--documents", flags->documents,
                      "Learn from a random sample of this size, in stream order; default all");
  command->add_option(
      "--holdout", flags->holdout,
      "File of document numbers, from 1, to score on; default a tenth, at most 2000");
  command->add_option("--format", flags->corpus.format,
                      "auto, uci, ldac, mm, svmlight, jsonl, text, csv or files (a folder)");
  AddTextColumn(AddCorpusOptions(command, &flags->corpus), &flags->corpus);
  command->callback([flags] {
    flags->command = OwnCommand();
    Compare(*flags);
  });
}

}  // namespace sda
