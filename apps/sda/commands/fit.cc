#include "commands/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/fit_table.h"
#include "commands/fit_topics.h"
#include "core/run_checkpoints.h"
#include "sda/errors.h"
#include "tables/table_model.h"
#include "ui/command.h"
#include "ui/flags.h"
#include "ui/half_life_flag.h"

namespace sda {

using nlohmann::json;

std::string FitFlags::SettingsJson() const {
  const nlohmann::json settings = {{"output", output}, {"threads", threads},
                                   {"report", report}, {"json", this->json},
                                   {"events", events}, {"checkpoint_every", checkpoint_every}};
  try {
    return settings.dump();
  } catch (const nlohmann::json::exception&) {
    throw UsageError(
        "--output, --report or --events is not UTF-8, so that no checkpoint can hold its name");
  }
}

namespace {

// Of --resume without INPUT: only these may be given beside it.
constexpr std::array kFreeWhenResumed = {
    "--checkpoint", "--checkpoint-every", "--resume", "--output",
    "--threads",    "--report",           "--json",   "--force",
    "--quiet",      "--config",           "--events"};

std::string ModelsHelp() {
  return fmt::format("Models:\n  {:<12} {}\n", "lda", "topics of documents (the default)") +
         TableModelsHelp();
}

void AddRunOptions(CLI::App* command, FitFlags* flags) {
  AddChoice(command, "--schedule", ScheduleNames(), &flags->schedule,
            "serial (default), sync or async");
  AddChoice(command, "--worker-prior", WorkerPriorNames(), &flags->worker_prior,
            "What async workers start from: latest (default) or fixed");
  command->add_option("--workers", flags->workers, "Minibatches in work at once (sync, async)");
  command->add_option("--threads", flags->threads,
                      "Threads to compute with; changes nothing but the time; 0: all cores");
  command->add_option(
      "--minibatch", flags->minibatch,
      "Documents (default 4096; sda with vb 16384; ep 1024) or rows (1000) per round over all\n"
      "workers");
  AddHalfLife(command, &flags->half_life);
  command
      ->add_option(
          "--primitive", flags->primitive,
          "lda: gibbs (default), vb: faster, a little worse, or ep: slow, for comparison;\n"
          "probit, logistic: ep (default) or vb")
      ->check(Choices(TopicPrimitives()))
      ->type_name("NAME");
  command->add_option(
      "--first-minibatch", flags->first_minibatch,
      "Documents or rows that go first, as one minibatch, for topics or clusters\n"
      "to form; default 32768, fewer with more than 100 topics, a round with ep; 10000\nrows");
  command->add_option("--seed", flags->seed, "Of the random numbers");
  command->add_option(
      "--format", flags->format,
      "auto, uci, ldac, mm, svmlight, jsonl, text, csv or files (a folder); of tables csv\n"
      "or svmlight");
  command->add_flag(
      "--follow", flags->follow,
      "The (last) input never ends: wait for the file to grow, or for another of its\n"
      "name, as tail -F does; save the model now and then");
  command
      ->add_option("--minibatch-seconds", flags->minibatch_seconds,
                   "With --follow: learn from what has come in this many seconds")
      ->capture_default_str();
}

void AddOutputOptions(CLI::App* command, FitFlags* flags) {
  command->add_option("--report", flags->report, "Write what the run did to this file, as JSON");
  command->add_flag("--json", flags->json, "Print the result as JSON");
  command
      ->add_option(
          "--events", flags->events,
          "Append what the stream of documents shows to this file, a line of JSON each:\n"
          "topics that grow or fade, more unknown words, documents that fit no topic; - is\n"
          "standard output")
      ->type_name("FILE");
  command->add_flag("--force", flags->force, "Overwrite an --output that is not a model");
  command->add_option("--checkpoint", flags->checkpoint,
                      "Folder to save the run to as it goes, to survive any end of it");
  command
      ->add_option("--checkpoint-every", flags->checkpoint_every,
                   "Seconds (default 30s) or minibatches (such as 10) between checkpoints, and\n"
                   "with --follow between saves of the model")
      ->type_name("TIME");
  command->add_flag(
      "--resume", flags->resume,
      "Resume from the last checkpoint, or begin if there is none. Without INPUT: with "
      "the\noptions that the run began with");
}

// Options of another kind of model are a mistake, not to be ignored.
void CheckUnused(const CLI::Option_group& group, const std::string& model) {
  for (const CLI::Option* option : group.get_options()) {
    if (option->count() > 0) {
      throw UsageError(fmt::format("{} is not for --model {}", option->get_name(), model));
    }
  }
}

// No output may overwrite another file of the run, but the model may take the place of the one it
// continues from.
void CheckOutputs(const FitFlags& flags, std::vector<std::string> others, const std::string& from) {
  CheckWritable(flags.output, others);
  CheckReplaceable(flags.output, flags.force);
  others.insert(others.end(), {flags.output, from});
  if (!flags.report.empty()) CheckWritable(flags.report, others);
  if (flags.events == "-" && flags.json) {
    throw UsageError("--events - does not go with --json: both write to standard output");
  }
  others.push_back(flags.report);
  if (!flags.events.empty() && flags.events != "-") CheckWritable(flags.events, others);
}

// `sda fit --checkpoint DIR --resume` alone.
void ResumeFit(FitFlags* given, const CLI::App& command) {
  FitFlags& flags = *given;
  for (const CLI::Option* option : AllOptions(command)) {
    const std::string name = option->get_name();
    if (option->count() > 0 && std::find(kFreeWhenResumed.begin(), kFreeWhenResumed.end(), name) ==
                                   kFreeWhenResumed.end()) {
      throw UsageError(name + " is given, but not INPUT: give all options, or none");
    }
  }
  const auto stored = ReadStoredOptions(flags.checkpoint, ProgramContext());
  if (!stored) {
    throw UsageError(flags.checkpoint +
                     ": there is no checkpoint, so INPUT and --output are required");
  }
  const json& settings = stored->settings;
  flags.follow = stored->options.value("follow", false);
  if (command.count("--output") == 0) flags.output = settings.value("output", "");
  if (command.count("--threads") == 0) flags.threads = settings.value("threads", 0);
  if (command.count("--report") == 0) flags.report = settings.value("report", "");
  if (command.count("--json") == 0) flags.json = settings.value("json", false);
  if (command.count("--events") == 0) flags.events = settings.value("events", "");
  if (command.count("--checkpoint-every") == 0) {
    flags.checkpoint_every = settings.value("checkpoint_every", "");
  }
  std::vector<std::string> others = stored->options.value("inputs", std::vector<std::string>());
  for (const char* key : {"holdout", "vocab"}) others.push_back(stored->options.value(key, ""));
  CheckOutputs(flags, others, stored->options.value("from", ""));
  const Context context = ProgramContext(flags.threads);
  stored->kind == "topics" ? ResumeTopics(*stored, flags, context)
                           : ResumeTable(*stored, flags, context);
}

}  // namespace

void AddFit(CLI::App* app) {
  struct Flags {
    FitFlags common;
    TopicFlags topics;
    TableFlags tables;
  };
  CLI::App* command = app->add_subcommand("fit", "Learn a model from data, in one pass");
  auto flags = std::make_shared<Flags>();
  FitFlags* common = &flags->common;
  command->add_option("INPUT", common->inputs,
                      "Documents, or CSV with a header line for models on tables; - is standard "
                      "input");
  command->add_option("-o,--output", common->output, "Where the model is saved");
  command->add_option("--model", common->model, "Which model, see below")
      ->capture_default_str()
      ->type_name("NAME");
  AddRunOptions(command, common);
  AddOutputOptions(command, common);
  const auto* topics = AddTopicOptions(command, &flags->topics);
  auto* corpora = AddCorpusOptions(command, &flags->topics.options);
  AddGrowOption(corpora, &flags->topics.options);
  AddNameOptions(corpora, &flags->topics.options);
  const auto* tables = AddTableOptions(command, &flags->tables);
  command->footer(ModelsHelp());
  command->callback([=] {
    try {
      if (common->inputs.empty() && common->resume && !common->checkpoint.empty()) {
        return ResumeFit(common, *command);
      }
      if (common->inputs.empty()) throw CLI::RequiredError("INPUT");
      if (common->output.empty()) throw CLI::RequiredError("--output");
      std::vector<std::string> others = common->inputs;
      others.insert(others.end(), {flags->topics.holdout, flags->topics.options.vocab});
      CheckOutputs(*common, others, flags->topics.from);
      const Context context = ProgramContext(common->threads);
      if (common->model == "lda") {
        CheckUnused(*tables, common->model);
        FitTopics(*common, flags->topics, *command, context);
      } else {
        FindTableModel(common->model);
        CheckUnused(*topics, common->model);
        CheckUnused(*corpora, common->model);
        if (!common->events.empty()) {
          throw UsageError("--events is not for --model " + common->model);
        }
        FitTable(*common, flags->tables, context);
      }
    } catch (const StoppedAtStart& e) {
      if (!common->follow) throw;  // one that is followed may be stopped when nothing has come yet
      const std::string kept = common->checkpoint.empty()
                                   ? ""
                                   : "; the place in the input is kept in " + common->checkpoint +
                                         ", and the same command with --resume continues there";
      Say(e.what() + kept);
    }
  });
}

}  // namespace sda
