#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "tables/table_fit.h"
#include "ui/command.h"

namespace sda {
namespace {

struct PredictFlags {
  std::string model;
  std::vector<std::string> inputs;
  bool json = false;
};

void Print(const Predictions& predictions, bool as_json) {
  for (const auto& row : predictions.rows) {
    if (as_json) {
      nlohmann::ordered_json line;
      for (size_t i = 0; i < row.size(); ++i) line[predictions.names[i]] = row[i];
      fmt::print("{}\n", line.dump());
    } else {
      fmt::print("{}\n", fmt::join(row, ","));
    }
  }
}

template <class Source>
void PredictAll(const TableFit& fit, Source* source, const Context& context, bool as_json) {
  while (auto minibatch = source->Next()) {
    CheckNotStopped(context);
    Print(fit.Predict(minibatch->data), as_json);
  }
  CheckNotStopped(context);
}

void Predict(const PredictFlags& flags) {
  const Context context = ProgramContext();
  const auto fit = TableFit::Load(flags.model, context);
  const TableSpec& spec = fit->spec();
  const TableModel& model = fit->model();
  std::vector<std::string> columns = spec.columns;
  if (model.has_target) columns.pop_back();
  // Refuses a model that cannot predict before any input is read.
  const Predictions none = fit->Predict(Table{std::max<size_t>(1, columns.size()), {}});
  if (model.classifies && !fit->Notes().empty()) Say(fit->Notes()[0]);
  auto print_header = [&] {
    if (!flags.json) fmt::print("{}\n", fmt::join(none.names, ","));
  };
  if (spec.sparse) {
    SvmlightOptions options;
    options.inputs = flags.inputs;
    options.labels = false;
    SvmlightSource source(options, context);
    print_header();
    return PredictAll(*fit, &source, context, flags.json);
  }
  TableOptions options;
  options.inputs = flags.inputs;
  options.columns = columns;
  options.no_columns = columns.empty();  // a model of the intercept alone
  TableSource source(options, context);
  print_header();
  PredictAll(*fit, &source, context, flags.json);
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
  command->add_flag("--json", flags->json, "Print a JSON object a line instead of CSV");
  command->callback([flags] { Predict(*flags); });
}

}  // namespace sda
