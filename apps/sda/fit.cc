#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "command.h"
#include "models/table_fit.h"

namespace sda {
namespace {

struct FitFlags {
  std::vector<std::string> inputs;
  std::string output;
  std::string model;
  std::string target;
  std::vector<std::string> columns;
  bool no_intercept = false;
  std::vector<std::string> prior;
  Schedule schedule = Schedule::kSerial;
  WorkerPrior worker_prior = WorkerPrior::kLatestPosterior;
  int workers = 1;
  int threads = 0;
  int64_t minibatch = 1000;
  double half_life = 0;
  std::string report;
  bool json = false;
};

std::map<std::string, double> ParsePrior(const std::vector<std::string>& items) {
  std::map<std::string, double> prior;
  for (const std::string& item : items) {
    const size_t equals = item.find('=');
    double value = 0;
    if (equals == std::string::npos || !CLI::detail::lexical_cast(item.substr(equals + 1), value)) {
      throw std::invalid_argument(
          fmt::format("--prior is \"{}\", must be NAME=NUMBER, such as weight=2", item));
    }
    prior[item.substr(0, equals)] = value;
  }
  return prior;
}

RunOptions RunOptionsOf(const FitFlags& flags) {
  RunOptions options;
  options.schedule = flags.schedule;
  options.worker_prior = flags.worker_prior;
  options.workers = flags.workers;
  options.threads = flags.threads;
  if (flags.half_life != 0) options.discount = HalfLife(flags.half_life);
  options.stop = StopFlag();
  options.Validate();
  return options;
}

TableOptions TableOptionsOf(const FitFlags& flags, const TableModel& model) {
  if (model.has_target && flags.target.empty()) {
    throw std::invalid_argument(fmt::format("model {} needs --target COLUMN", model.name));
  }
  if (!model.has_target && !flags.target.empty()) {
    throw std::invalid_argument(
        fmt::format("--target is {}, but model {} has no target", flags.target, model.name));
  }
  if (flags.minibatch < 1) {
    throw std::invalid_argument(
        fmt::format("--minibatch is {}, must be at least 1", flags.minibatch));
  }
  TableOptions options;
  options.inputs = flags.inputs;
  options.kind = model.kind;
  options.columns = flags.columns;
  options.target = flags.target;
  // A minibatch is what all workers together take in a round, as in the paper.
  options.minibatch = (flags.minibatch + flags.workers - 1) / flags.workers;
  options.stop = StopFlag();
  return options;
}

// The mean of each column: a value near the data, from which squares lose no digits.
std::vector<double> Means(const Table& table) {
  std::vector<double> means(table.columns, 0.0);
  for (size_t i = 0; i < table.size(); ++i) {
    for (size_t c = 0; c < table.columns; ++c) means[c] += (table.row(i)[c] - means[c]) / (i + 1.0);
  }
  return means;
}

void WriteReport(const std::string& path, const FitFlags& flags, const Summary& summary) {
  auto report = nlohmann::ordered_json::parse(ToJson(summary, "rows"));
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  report["peak_rss_bytes"] = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  report["model"] = flags.model;
  report["inputs"] = flags.inputs;
  std::ofstream out(path);
  out << report.dump(2) << "\n";
  out.close();
  if (!out) throw std::runtime_error(path + ": cannot write the report");
}

void Fit(const FitFlags& flags) {
  const TableModel& model = FindTableModel(flags.model);
  const RunOptions run_options = RunOptionsOf(flags);
  const TableOptions table_options = TableOptionsOf(flags, model);
  TableSpec spec;
  spec.model = flags.model;
  spec.intercept = !flags.no_intercept;
  spec.prior = ParsePrior(flags.prior);
  CheckWritable(flags.output);
  if (!flags.report.empty()) CheckWritable(flags.report);

  TableSource source(table_options);
  spec.columns = source.columns();
  const Table& first = source.Peek();
  if (model.kind == ColumnKind::kNumber) spec.origin = Means(first);
  const auto fit = TableFit::Make(spec);
  const Summary summary = fit->Fit(source, run_options, ShowProgress(stderr, "rows"));
  const auto estimates = fit->Describe();
  fit->Save(flags.output);
  if (!flags.report.empty()) WriteReport(flags.report, flags, summary);

  const uint64_t rows = fit->spec().rows;
  if (flags.json) {
    fmt::print("{}\n", EstimatesJson(flags.model, rows, estimates));
  } else {
    fmt::print("{} model after {} rows\n\n{}", flags.model, Grouped(rows),
               EstimatesTable(estimates));
  }
  fmt::print(stderr, "{}saved {}\n", summary.stopped ? "stopped early; " : "", flags.output);
}

std::string ModelsHelp() {
  std::string text = "Models:\n";
  for (const TableModel& model : TableModels()) {
    text += fmt::format("  {:<12} {}\n  {:<12}   --prior {}\n", model.name, model.summary, "",
                        model.prior);
  }
  return text;
}

}  // namespace

void AddFit(CLI::App* app) {
  CLI::App* command = app->add_subcommand("fit", "Learn a model from data, in one pass");
  auto flags = std::make_shared<FitFlags>();
  command->add_option("INPUT", flags->inputs, "CSV files with a header line; - is standard input")
      ->required();
  command->add_option("-o,--output", flags->output, "Where the model is saved")->required();
  command->add_option("--model", flags->model, "Which model, see below")->required();
  command->add_option("--target", flags->target, "Column to predict (linear)");
  command->add_option("--columns", flags->columns, "Columns to use; all if not given")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--no-intercept", flags->no_intercept, "Regression through zero (linear)");
  command->add_option("--prior", flags->prior, "NAME=NUMBER,... other than the model's default")
      ->delimiter(',')
      ->allow_extra_args(false);
  const std::map<std::string, Schedule> schedules = {{"serial", Schedule::kSerial},
                                                     {"sync", Schedule::kSynchronous},
                                                     {"async", Schedule::kAsynchronous}};
  command->add_option("--schedule", flags->schedule, "serial (default), sync or async")
      ->transform(CLI::CheckedTransformer(schedules).description(""));
  const std::map<std::string, WorkerPrior> priors = {{"latest", WorkerPrior::kLatestPosterior},
                                                     {"fixed", WorkerPrior::kFixedPrior}};
  command
      ->add_option("--worker-prior", flags->worker_prior,
                   "What async workers start from: latest (default) or fixed")
      ->transform(CLI::CheckedTransformer(priors).description(""));
  command->add_option("--workers", flags->workers, "Minibatches in work at once (sync, async)");
  command->add_option("--threads", flags->threads, "Threads for the workers of a sync round");
  command->add_option("--minibatch", flags->minibatch, "Rows per round over all workers")
      ->capture_default_str();
  command->add_option("--half-life", flags->half_life,
                      "Forget: rows after which what was learnt counts half");
  command->add_option("--report", flags->report, "Write what the run did to this file, as JSON");
  command->add_flag("--json", flags->json, "Print the result as JSON");
  command->footer(ModelsHelp());
  command->callback([flags] { Fit(*flags); });
}

}  // namespace sda
