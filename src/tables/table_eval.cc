#include "tables/table_eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/tables/class_name.h"
#include "models/estimates.h"
#include "sda/errors.h"
#include "tables/table_rows.h"

namespace sda {
namespace {

// log_of_class is given, since 1 - probability may be 0 where the probability of the class is not.
void AddClass(double probability, double log_of_class, bool positive, TableScore* score) {
  const double of_class = positive ? probability : 1 - probability;
  ++score->rows;
  score->log_sum += log_of_class;
  score->brier_sum += (1 - of_class) * (1 - of_class);
  score->positive += positive;
  const size_t bins = score->calibration.size();
  const auto bin = static_cast<size_t>(probability * static_cast<double>(bins));
  CalibrationBin& tenth = score->calibration[std::min(bins - 1, bin)];
  ++tenth.rows;
  tenth.predicted += probability;
  tenth.positive += positive;
}

// Of a classifier: probabilities of the positive class against the classes, numbered as in names.
void AddClasses(const TableFit& fit, const Predictions& predictions,
                const std::vector<double>& logs, const std::vector<double>& classes,
                const std::vector<std::string>& names, TableScore* score) {
  const std::string positive = PositiveClass(fit.spec().categories.back());
  for (size_t i = 0; i < classes.size(); ++i) {
    if (!std::isfinite(logs[i])) {
      ++score->without;
      continue;
    }
    AddClass(predictions.rows[i][0], logs[i], names.at(static_cast<size_t>(classes[i])) == positive,
             score);
  }
}

Table WithoutTarget(const Table& rows) {
  Table features{std::max<size_t>(1, rows.columns - 1), {}};
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = rows.row(i);
    features.values.insert(features.values.end(), row.begin(), row.end() - 1);
    if (rows.columns == 1) features.values.push_back(0);  // the intercept alone
  }
  return features;
}

// Mean, sd and interval of each prediction against the targets.
void AddErrors(const Table& rows, const Predictions& predictions, const std::vector<double>& logs,
               TableScore* score) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!std::isfinite(logs[i])) continue;
    const double target = rows.row(i).back();
    const auto& p = predictions.rows[i];
    score->square_error_sum += (p[0] - target) * (p[0] - target);
    score->inside += p[2] <= target && target <= p[3];
  }
}

void AddRows(const TableFit& fit, const Table& rows, const std::vector<Dictionary>& categories,
             TableScore* score) {
  if (rows.size() == 0) return;
  if (fit.model().classifies) {
    std::vector<double> classes;
    for (size_t i = 0; i < rows.size(); ++i) classes.push_back(rows.row(i).back());
    return AddClasses(fit, fit.Predict(WithoutTarget(rows)), fit.LogPredictive(rows), classes,
                      categories.back().names(), score);
  }
  const std::vector<double> logs = fit.LogPredictive(rows);
  for (const double log : logs) {
    if (!std::isfinite(log)) {
      ++score->without;
      continue;
    }
    ++score->rows;
    score->log_sum += log;
  }
  if (fit.model().has_target) AddErrors(rows, fit.Predict(WithoutTarget(rows)), logs, score);
}

// Which rows to score.
class Selection {
 public:
  explicit Selection(const std::vector<uint64_t>& rows) : rows_(rows.begin(), rows.end()) {}
  bool all() const { return rows_.empty(); }
  bool Has(uint64_t row) { return all() || (rows_.contains(row) && ++found_ > 0); }
  void ExpectAllFound(uint64_t read) const {
    if (found_ == rows_.size()) return;
    throw InputError(fmt::format("only {} of the {} rows to score are in the input, which has {}",
                                 found_, rows_.size(), read));
  }

 private:
  std::unordered_set<uint64_t> rows_;
  uint64_t found_ = 0;
};

void ScoreCsv(const TableFit& fit, const TableEvalOptions& options, const Context& context,
              Selection* selection, TableScore* score) {
  TableOptions table =
      OptionsToRead(fit.spec(), fit.model(), options.inputs, true, options.reading);
  for (const auto& names : fit.spec().categories) {
    Dictionary& dictionary = table.categories.emplace_back();
    for (const std::string& name : names) dictionary.NumberOf(name);
  }
  TableSource source(table, context);
  uint64_t read = 0;
  while (const auto minibatch = source.Next()) {
    Table chosen{minibatch->data.columns, {}};
    for (size_t i = 0; i < minibatch->data.size(); ++i) {
      read = source.row_numbers()[i];
      if (!selection->Has(read)) continue;
      const auto row = minibatch->data.row(i);
      chosen.values.insert(chosen.values.end(), row.begin(), row.end());
    }
    AddRows(fit, chosen, source.categories(), score);
  }
  LogRowNotes(source, fit.spec(), context);
  if (!context.StopRequested()) selection->ExpectAllFound(read);
}

void ScoreSvmlight(const TableFit& fit, const TableEvalOptions& options, const Context& context,
                   Selection* selection, TableScore* score) {
  const ReadingChanges& changes = options.reading;
  if (!changes.delimiter.empty() || changes.header || !changes.missing.empty()) {
    throw UsageError("--delimiter, --header, --no-header and --missing are not for svmlight files");
  }
  SvmlightOptions svmlight;
  svmlight.inputs = options.inputs;
  for (const std::string& name : fit.spec().categories.back()) svmlight.classes.NumberOf(name);
  SvmlightSource source(svmlight, context);
  uint64_t read = 0;
  while (const auto minibatch = source.Next()) {
    const SparseRows& rows = minibatch->data;
    SparseRows chosen;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!selection->Has(++read)) continue;
      chosen.index.insert(chosen.index.end(), rows.index.begin() + rows.begin(i),
                          rows.index.begin() + rows.ends[i]);
      chosen.value.insert(chosen.value.end(), rows.value.begin() + rows.begin(i),
                          rows.value.begin() + rows.ends[i]);
      chosen.ends.push_back(chosen.index.size());
      chosen.target.push_back(rows.target[i]);
    }
    if (chosen.size() == 0) continue;
    const std::vector<double> logs = fit.LogPredictive(chosen);
    const std::vector<double> classes = std::exchange(chosen.target, {});
    AddClasses(fit, fit.Predict(chosen), logs, classes, source.classes().names(), score);
  }
  if (!context.StopRequested()) selection->ExpectAllFound(read);
}

}  // namespace

Estimate CalibrationBin::Observed() const {
  const double others = static_cast<double>(rows - positive);
  return BetaEstimate("", static_cast<double>(positive) + 0.5, others + 0.5);
}

double TableScore::BrierOfShare() const {
  const double share = static_cast<double>(positive) / static_cast<double>(rows);
  return share * (1 - share);
}

double TableScore::RootMeanSquareError() const {
  return std::sqrt(square_error_sum / static_cast<double>(rows));
}

TableScore EvaluateTable(const TableFit& fit, const TableEvalOptions& options,
                         const Context& context) {
  if (fit.model().classifies && fit.spec().categories.empty()) {
    throw InputError("the model does not say which classes it was fitted to");
  }
  TableScore score;
  Selection selection(options.rows);
  fit.spec().sparse ? ScoreSvmlight(fit, options, context, &selection, &score)
                    : ScoreCsv(fit, options, context, &selection, &score);
  if (score.rows == 0 && score.without == 0) throw InputError("there is no row to score");
  return score;
}

}  // namespace sda
