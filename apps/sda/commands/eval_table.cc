#include "commands/eval_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "sda/corpus.h"
#include "sda/errors.h"
#include "tables/table_eval.h"
#include "ui/command.h"

namespace sda {
namespace {

using nlohmann::ordered_json;

void PrintJson(const TableFit& fit, const TableScore& score) {
  ordered_json out = {{"model", fit.spec().model}, {"rows", score.rows}};
  if (score.without > 0) out["rows_without_probability"] = score.without;
  if (score.rows > 0) out["log_score"] = score.LogScore();
  if (score.rows > 0 && fit.model().classifies) {
    out["brier_score"] = score.Brier();
    out["brier_score_of_share"] = score.BrierOfShare();
    ordered_json bins = ordered_json::array();
    for (const CalibrationBin& bin : score.calibration) {
      if (bin.rows == 0) continue;
      const auto rows = static_cast<double>(bin.rows);
      const Estimate observed = bin.Observed();
      bins.push_back({{"rows", bin.rows},
                      {"predicted", bin.predicted / rows},
                      {"observed", static_cast<double>(bin.positive) / rows},
                      {"lower", observed.lower},
                      {"upper", observed.upper}});
    }
    out["calibration"] = bins;
  } else if (score.rows > 0 && fit.model().has_target) {
    out["root_mean_square_error"] = score.RootMeanSquareError();
    out["share_in_interval"] = static_cast<double>(score.inside) / static_cast<double>(score.rows);
  }
  fmt::print("{}\n", Dump(out));
}

void PrintCalibration(const TableFit& fit, const TableScore& score) {
  const auto notes = fit.Notes();
  fmt::print("Brier score {:.6f} ({:.6f} if every row were given the share of the class)\n\n",
             score.Brier(), score.BrierOfShare());
  if (!notes.empty()) fmt::print("{}\n\n", Shown(notes[0]));
  fmt::print("predicted          rows    mean   observed   95% interval\n");
  for (size_t i = 0; i < score.calibration.size(); ++i) {
    const CalibrationBin& bin = score.calibration[i];
    if (bin.rows == 0) continue;
    const auto rows = static_cast<double>(bin.rows);
    const Estimate observed = bin.Observed();
    fmt::print("{:.1f} to {:.1f}  {:>12}  {:>6.3f}  {:>9.3f}   [{:.3f}, {:.3f}]\n",
               static_cast<double>(i) / 10, static_cast<double>(i + 1) / 10, Grouped(bin.rows),
               bin.predicted / rows, static_cast<double>(bin.positive) / rows, observed.lower,
               observed.upper);
  }
}

void PrintText(const TableFit& fit, const TableScore& score) {
  if (score.rows > 0) {
    fmt::print("log score {:.6f} per row, on {}\n", score.LogScore(),
               Plural(score.rows, "row", "rows"));
  }
  if (score.without > 0) {
    fmt::print("{} not scored: the model gives {} no probability, as {}\n",
               Plural(score.without, "row was", "rows were"), score.without == 1 ? "it" : "them",
               fit.model().classifies ? "it is certain of the other class"
                                      : "it has never seen the value");
  }
  if (score.rows == 0) return;
  if (fit.model().classifies) {
    PrintCalibration(fit, score);
  } else if (fit.model().has_target) {
    fmt::print("root mean square error {:.6g}; {:.1f}% of the rows are within their 95% interval\n",
               score.RootMeanSquareError(),
               100 * static_cast<double>(score.inside) / static_cast<double>(score.rows));
  }
}

}  // namespace

void EvalTable(const EvalTableFlags& flags) {
  const Context context = ProgramContext();
  const auto fit = TableFit::Load(flags.model, context);
  TableEvalOptions options;
  options.inputs = flags.inputs;
  options.reading = flags.reading;
  if (!flags.holdout.empty()) {
    options.rows = ReadDocumentNumbers(flags.holdout);
    if (options.rows.empty()) throw InputError(flags.holdout + ": has no number of a row");
  }
  const TableScore score = EvaluateTable(*fit, options, context);
  CheckNotStopped(context);
  flags.json ? PrintJson(*fit, score) : PrintText(*fit, score);
}

}  // namespace sda
