#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/table_reading_flags.h"
#include "sda/errors.h"
#include "tables/table_fit.h"
#include "tables/table_fit_options.h"
#include "tables/table_rows.h"
#include "ui/command.h"

namespace sda {
namespace {

struct PredictFlags {
  std::string model;
  std::vector<std::string> inputs;
  ReadingChanges reading;
  bool json = false;
};

void Print(const Predictions& predictions, bool as_json) {
  for (const auto& row : predictions.rows) {
    if (as_json) {
      nlohmann::ordered_json line;
      for (size_t i = 0; i < row.size(); ++i) line[predictions.names[i]] = row[i];
      if (predictions.approximate) line["approximate"] = true;
      fmt::print("{}\n", line.dump());
    } else {
      fmt::print("{}\n", fmt::join(row, ","));
    }
  }
}

template <class Source>
void PredictAll(const TableFit& fit, Source* source, const Context& context, bool as_json) {
  uint64_t before = 0;
  bool approximate = false;
  while (auto minibatch = source->Next()) {
    CheckNotStopped(context);
    try {
      const Predictions predictions = fit.Predict(minibatch->data);
      Print(predictions, as_json);
      approximate |= predictions.approximate;
    } catch (const std::domain_error& e) {
      throw InputError(fmt::format("of the rows after the first {}: {}", before, e.what()));
    }
    before += minibatch->counts.items;
  }
  CheckNotStopped(context);
  if (approximate && !as_json) SayApproximate();
}

void Predict(const PredictFlags& flags) {
  const Context context = ProgramContext();
  const auto fit = TableFit::Load(flags.model, context);
  const TableSpec& spec = fit->spec();
  const TableModel& model = fit->model();
  const size_t features = spec.columns.size() - (model.has_target ? 1 : 0);
  // Refuses a model that cannot predict before any input is read.
  const Predictions none = fit->Predict(Table{std::max<size_t>(1, features), {}});
  if (model.classifies && !fit->Notes().empty()) Say(fit->Notes()[0]);
  auto print_header = [&] {
    if (flags.json) return;
    std::vector<std::string> fields;
    for (const std::string& name : none.names) fields.push_back(CsvField(name));
    fmt::print("{}\n", fmt::join(fields, ","));
  };
  if (spec.sparse) {
    SvmlightOptions options;
    options.inputs = flags.inputs;
    options.labels = false;
    SvmlightSource source(options, context);
    print_header();
    return PredictAll(*fit, &source, context, flags.json);
  }
  TableSource source(OptionsToRead(spec, model, flags.inputs, false, flags.reading), context);
  print_header();
  PredictAll(*fit, &source, context, flags.json);
  LogRowNotes(source, spec, context);
}

}  // namespace

void AddPredict(CLI::App* app) {
  CLI::App* command = app->add_subcommand(
      "predict",
      "The target of new rows, with its standard deviation and 95% interval; or\n"
      "their clusters");
  auto flags = std::make_shared<PredictFlags>();
  command->add_option("MODEL", flags->model, "A regression or mixture saved by sda fit")
      ->required();
  command
      ->add_option("INPUT", flags->inputs,
                   "CSV files with the feature columns, or svmlight files if the model was fitted\n"
                   "to such; - is standard input")
      ->required();
  AddTableReading(command, &flags->reading.delimiter, &flags->reading.header,
                  &flags->reading.missing, "as in the fit", "as in the fit");
  command->add_flag("--json", flags->json, "Print a JSON object a line instead of CSV");
  command->callback([flags] { Predict(*flags); });
}

}  // namespace sda
