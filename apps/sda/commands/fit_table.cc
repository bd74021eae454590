#include "commands/fit_table.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "commands/table_reading_flags.h"
#include "sda/errors.h"
#include "sda/program.h"
#include "tables/table_fit.h"
#include "ui/command.h"
#include "ui/flags.h"
#include "ui/forgetting_text.h"

namespace sda {
namespace {

std::map<std::string, double> ParsePrior(const std::vector<std::string>& items) {
  std::map<std::string, double> prior;
  for (const std::string& item : items) {
    const size_t equals = item.find('=');
    double value = 0;
    if (equals == std::string::npos || !CLI::detail::lexical_cast(item.substr(equals + 1), value)) {
      throw UsageError(
          fmt::format("--prior is \"{}\", must be NAME=NUMBER, such as weight=2", item));
    }
    prior[item.substr(0, equals)] = value;
  }
  return prior;
}

std::map<std::string, std::vector<std::string>> ParseLevels(const std::vector<std::string>& items) {
  std::map<std::string, std::vector<std::string>> levels;
  for (const std::string& item : items) {
    const size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == item.size()) {
      throw UsageError(fmt::format(
          "--levels is \"{}\", must be NAME=LEVEL,LEVEL,..., such as city=berlin,paris", item));
    }
    const std::string name = item.substr(0, equals);
    if (levels.contains(name)) throw UsageError("--levels is given twice for " + Quoted(name));
    levels[name] = CLI::detail::split(item.substr(equals + 1), ',');
  }
  return levels;
}

// The names of the models of which this holds.
template <class Holds>
std::string ModelsWith(Holds holds) {
  std::string names;
  for (const TableModel& model : TableModels()) {
    if (holds(model)) names += (names.empty() ? "" : ", ") + model.name;
  }
  return names;
}

template <class Value>
CLI::Option* AddValue(CLI::Option_group* group, const ModelOption& option, const std::string& help,
                      TableFlags* flags) {
  return group->add_option_function<Value>(
      OptionFlag(option.name),
      [flags, name = option.name](const Value& value) {
        flags->options.model_options[name] = value;
      },
      help);
}

void AddModelOption(CLI::Option_group* group, const ModelOption& option, TableFlags* flags) {
  std::string help = fmt::format("{} ({})", option.help, ModelsWith([&](const TableModel& model) {
                                   return model.FindOption(option.name) != nullptr;
                                 }));
  if (!option.choices.empty()) help += ": " + ListOfChoices(option.choices);
  if (std::holds_alternative<std::string>(option.usual)) {
    CLI::Option* added = AddValue<std::string>(group, option, help, flags)->type_name("NAME");
    if (!option.choices.empty()) added->check(Choices(option.choices));
  } else if (std::holds_alternative<double>(option.usual)) {
    AddValue<double>(group, option, help, flags)->default_str(ToText(option.usual));
  } else {
    CLI::Option* added = AddValue<uint64_t>(group, option, help, flags);
    if (option.usual != OptionValue(uint64_t{0})) added->default_str(ToText(option.usual));
  }
}

// The common options and those of tables, as the library knows them.
TableFitOptions OptionsOf(const FitFlags& common, const TableFlags& flags) {
  TableFitOptions options = flags.options;
  options.model = common.model;
  options.inputs = common.inputs;
  options.format = common.format;
  options.intercept = !flags.no_intercept;
  options.prior = ParsePrior(flags.prior);
  options.levels = ParseLevels(flags.levels);
  options.schedule = common.schedule;
  options.workers = common.workers;
  options.worker_prior = common.worker_prior;
  options.half_life = common.half_life;
  options.minibatch = common.minibatch;
  options.first_minibatch = common.first_minibatch;
  options.follow = common.follow;
  options.minibatch_seconds = common.minibatch_seconds;
  auto given = [&](const char* option) { return flags.command->count(option) > 0; };
  const TableModel& model = FindTableModel(options.model);
  if (given("--primitive")) options.model_options["primitive"] = common.primitive;
  if (given("--seed")) options.model_options["seed"] = common.seed;
  if (model.FindOption("primitive") != nullptr && common.primitive == "gibbs") {
    throw UsageError("--primitive gibbs is for --model lda alone");
  }
  return options;
}

void WriteTableReport(const std::string& path, const TableFitOptions& options, const TableFit& fit,
                      const Summary& summary) {
  auto report = nlohmann::ordered_json::parse(ToJson(summary, "rows"));
  report["peak_rss_bytes"] = PeakMemoryBytes();
  report["model"] = options.model;
  report["inputs"] = options.inputs;
  report["skipped_rows"] = summary.counts.skipped;
  if (const auto learnt = fit.forgetting()) {
    report["forgetting"] = nlohmann::ordered_json::parse(learnt->ToJson());
  }
  if (fit.model().classifies) {
    report["unconverged_minibatches"] = fit.UnconvergedMinibatches();
  }
  WriteTextFile(path, Dump(report) + "\n");
}

void Fit(const TableFitOptions& options, const FitFlags& common, const Context& context) {
  options.Validate();
  if (options.follow) BlockHangUp();
  TableSession session(options,
                       {.checkpoint = common.checkpoint,
                        .checkpoint_every = common.checkpoint_every,
                        .resume = common.resume,
                        .output = common.output,
                        .settings = common.checkpoint.empty() ? "{}" : common.SettingsJson()},
                       context);
  std::optional<HangUpWatcher> watcher;
  if (options.follow) {
    Say("waiting for further rows; SIGTERM ends, SIGHUP saves now");
    watcher.emplace([&] { session.SaveNow(); });
  }
  const Summary summary = session.Run(RunProgress("rows"));
  watcher.reset();
  const TableFit& fit = session.fit();
  const std::string shown = common.json ? FitJson(fit) : FitText(fit);
  session.Save(common.output);
  if (!common.report.empty()) WriteTableReport(common.report, options, fit, summary);
  fmt::print("{}", shown);
  const auto learnt = session.forgetting();
  if (learnt && !common.json) fmt::print("{}", ForgettingText(*learnt, "rows"));
  Say((summary.stopped ? "stopped early; saved " : "saved ") + common.output);
  if (session.checkpoint_failure()) std::rethrow_exception(session.checkpoint_failure());
}

}  // namespace

CLI::Option_group* AddTableOptions(CLI::App* command, TableFlags* flags) {
  flags->command = command;
  CLI::Option_group* group = command->add_option_group("Models on tables");
  group
      ->add_option("--target", flags->options.target,
                   fmt::format("Column to predict ({})", ModelsWith([](const TableModel& model) {
                                 return model.has_target;
                               })))
      ->type_name("NAME");
  group
      ->add_option("--columns", flags->options.columns,
                   "Columns to use, with commas between them; all if not given")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("NAME,...");
  AddTableReading(group, &flags->options.delimiter, &flags->options.header, &flags->options.missing,
                  "a comma", "refuse");
  group
      ->add_option("--one-hot", flags->options.one_hot,
                   "Columns of text for a regression: 0 and 1 for each level but the reference,\n"
                   "the most frequent one; levels are those of the first minibatch")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("NAME,...");
  group
      ->add_option("--levels", flags->levels,
                   "The levels of such a column, the reference first; may be given for several")
      ->allow_extra_args(false)
      ->option_text("NAME=LEVEL,LEVEL,...");
  group->add_flag("--no-intercept", flags->no_intercept, "Regression through zero");
  for (const TableModel& model : TableModels()) {
    for (const ModelOption& option : model.options) {
      const std::string flag = OptionFlag(option.name);
      // Those that topic models have as well are common options.
      if (command->get_option_no_throw(flag) != nullptr) continue;
      if (group->get_option_no_throw(flag) != nullptr) continue;
      AddModelOption(group, option, flags);
    }
  }
  group->add_option("--prior", flags->prior, "Other than the model's default, see below")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("NAME=NUMBER,...");
  return group;
}

std::string TableModelsHelp() {
  std::string text;
  for (const TableModel& model : TableModels()) {
    text += fmt::format("  {:<12} {}\n  {:<12}   --prior {}\n", model.name, model.summary, "",
                        model.PriorText());
  }
  return text;
}

void FitTable(const FitFlags& common, const TableFlags& flags, const Context& context) {
  Fit(OptionsOf(common, flags), common, context);
}

void ResumeTable(const StoredOptions& stored, const FitFlags& common, const Context& context) {
  Fit(TableFitOptions::FromJson(stored.options.dump()), common, context);
}

}  // namespace sda
