#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "command.h"
#include "fit.h"
#include "fit_checkpoint.h"
#include "models/table_fit.h"

namespace sda {
namespace {

constexpr int64_t kMinibatch = 1000;

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

TableOptions TableOptionsOf(const FitFlags& flags, const TableModel& model) {
  if (model.has_target && flags.target.empty()) {
    throw std::invalid_argument(fmt::format("model {} needs --target COLUMN", model.name));
  }
  if (!model.has_target && !flags.target.empty()) {
    throw std::invalid_argument(
        fmt::format("--target is {}, but model {} has no target", flags.target, model.name));
  }
  TableOptions options;
  options.inputs = flags.inputs;
  options.kind = model.kind;
  options.columns = flags.columns;
  options.target = flags.target;
  options.minibatch = ItemsPerWorker(flags, kMinibatch);
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

void WriteTableReport(const FitFlags& flags, const Summary& summary) {
  auto report = nlohmann::ordered_json::parse(ToJson(summary, "rows"));
  report["peak_rss_bytes"] = PeakMemoryBytes();
  report["model"] = flags.model;
  report["inputs"] = flags.inputs;
  WriteTextFile(flags.report, Dump(report) + "\n");
}

nlohmann::json FixedNotes(const std::vector<double>& origin,
                          const std::vector<std::vector<std::string>>& categories) {
  return {{"origin", origin}, {"categories", categories}};
}

// Of the categories that FixedNotes() was given.
std::vector<Dictionary> Dictionaries(const nlohmann::json& notes) {
  std::vector<Dictionary> dictionaries;
  for (const auto& names : notes.at("categories")) {
    Dictionary& dictionary = dictionaries.emplace_back();
    for (const auto& name : names) dictionary.NumberOf(name.get<std::string>());
  }
  return dictionaries;
}

}  // namespace

void FitTable(const FitFlags& flags, FitCheckpoints* checkpoints) {
  const TableModel& model = FindTableModel(flags.model);
  RunOptions run_options = RunOptionsOf(flags);
  TableOptions table_options = TableOptionsOf(flags, model);
  // A run that is to go on later ends behind a whole minibatch. On any other it is the source that
  // ends the stream, after the rows it has in hand.
  (checkpoints->on() ? table_options.stop : run_options.stop) = nullptr;
  TableSpec spec;
  spec.model = flags.model;
  spec.intercept = !flags.no_intercept;
  spec.prior = ParsePrior(flags.prior);
  spec.columns = {"x", "y"};  // any: a bad prior is to be found before the input is read
  TableFit::Make(spec);

  const Checkpoint* last = checkpoints->last();
  if (last != nullptr) table_options.categories = Dictionaries(checkpoints->fixed());
  TableSource source(table_options);
  spec.columns = source.columns();
  if (last != nullptr) {
    spec.origin = checkpoints->fixed().at("origin").get<std::vector<double>>();
  } else {
    const Table& first = source.Peek();
    if (model.kind == ColumnKind::kNumber) spec.origin = Means(first);
  }
  const auto fit = TableFit::Make(spec);
  TrackedSource<Table> tracked(&source);
  if (last != nullptr) {
    fit->Restore(*last);
    tracked.Resume(last->progress);
  }
  double seconds_before = 0;
  if (last != nullptr) seconds_before = checkpoints->state().at("seconds").get<double>();
  double seconds = seconds_before;
  const auto saver = checkpoints->SaverOf(
      {.copy = [&] { return fit->CopyOfPosterior(); },
       .progress = [&](const IdSet& folded) { return tracked.At(folded); },
       .fixed = [&] { return FixedNotes(spec.origin, source.CategoryNames()); },
       .state =
           [&] {
             return nlohmann::json{{"seconds", seconds}};
           }});
  const Observer save = [&](const Summary& s) {
    seconds = seconds_before + s.seconds;
    if (saver) saver->Observe(s);
  };
  Summary summary = fit->Fit(source, run_options, Observers(ShowProgress(stderr, "rows"), save),
                             saver ? &tracked : nullptr);
  if (saver) saver->Finish();
  if (last != nullptr) {
    summary.items += last->progress.total().items;
    summary.minibatches += last->folded.size();
    summary.seconds = seconds;
  }
  summary.stopped = StopFlag()->load();
  const auto estimates = fit->Describe();
  fit->Save(flags.output);
  if (!flags.report.empty()) WriteTableReport(flags, summary);

  const uint64_t rows = fit->spec().rows;
  if (flags.json) {
    fmt::print("{}\n", EstimatesJson(flags.model, rows, estimates));
  } else {
    fmt::print("{} model after {} rows\n\n{}", flags.model, Grouped(rows),
               EstimatesTable(estimates));
  }
  Say((summary.stopped ? "stopped early; saved " : "saved ") + flags.output);
}

}  // namespace sda
