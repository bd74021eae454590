#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "models/table_fit.h"

namespace sda {
namespace {

struct PredictFlags {
  std::string model;
  std::vector<std::string> inputs;
  bool json = false;
};

void Predict(const PredictFlags& flags) {
  const auto fit = TableFit::Load(flags.model);
  fit->Predict(Table{});  // refuses a model without a target before any input is read
  TableOptions options;
  options.inputs = flags.inputs;
  options.columns = fit->spec().columns;
  options.columns.pop_back();  // the target
  options.stop = StopFlag();
  TableSource source(options);
  if (!flags.json) fmt::print("mean,sd,lower,upper\n");
  while (auto minibatch = source.Next()) {
    CheckNotStopped();
    for (const Estimate& e : fit->Predict(minibatch->data)) {
      if (flags.json) {
        const nlohmann::ordered_json line = {
            {"mean", e.mean}, {"sd", e.sd}, {"lower", e.lower}, {"upper", e.upper}};
        fmt::print("{}\n", line.dump());
      } else {
        fmt::print("{},{},{},{}\n", e.mean, e.sd, e.lower, e.upper);
      }
    }
  }
  CheckNotStopped();
}

}  // namespace

void AddPredict(CLI::App* app) {
  CLI::App* command = app->add_subcommand(
      "predict", "The target of new rows, with its standard deviation and 95% interval");
  auto flags = std::make_shared<PredictFlags>();
  command->add_option("MODEL", flags->model, "A regression saved by sda fit")->required();
  command
      ->add_option("INPUT", flags->inputs,
                   "CSV files with the feature columns; - is standard input")
      ->required();
  command->add_flag("--json", flags->json, "Print a JSON object a line instead of CSV");
  command->callback([flags] { Predict(*flags); });
}

}  // namespace sda
