#ifndef SDA_TABLES_TABLE_EVAL_H_
#define SDA_TABLES_TABLE_EVAL_H_

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "tables/table_fit.h"
#include "tables/table_fit_options.h"

namespace sda {

// Rows whose predicted probability was in the same tenth.
struct CalibrationBin {
  uint64_t rows = 0;
  double predicted = 0;   // sum of the probabilities
  uint64_t positive = 0;  // rows of the positive class

  // The 95% interval of the share that is positive, from `positive` of `rows` (Jeffreys).
  Estimate Observed() const;
};

// How well a model predicts rows that it has not learnt from.
struct TableScore {
  uint64_t rows = 0;     // scored
  double log_sum = 0;    // of the predictive probability, or density, of each; natural logarithm
  uint64_t without = 0;  // rows not scored, as the model gives them no probability at all

  // Classifiers: the squared distance of probability and class (0 or 1).
  double brier_sum = 0;
  uint64_t positive = 0;
  std::array<CalibrationBin, 10> calibration;

  // linear: of the mean of the prediction, and how often its 95% interval has the target.
  double square_error_sum = 0;
  uint64_t inside = 0;

  double LogScore() const { return log_sum / static_cast<double>(rows); }
  double Brier() const { return brier_sum / static_cast<double>(rows); }
  // Of a model that gives each row the share of the positive class.
  double BrierOfShare() const;
  double RootMeanSquareError() const;
};

struct TableEvalOptions {
  std::vector<std::string> inputs;  // as those of a fit: CSV with the target, or svmlight
  ReadingChanges reading;
  std::vector<uint64_t> rows;  // to score, from 1 in the order of the input; empty: all
};

// Reads the inputs and scores their rows. Throws UsageError for options that the model cannot have,
// InputError for bad input or if there is no row to score.
TableScore EvaluateTable(const TableFit& fit, const TableEvalOptions& options,
                         const Context& context);

}  // namespace sda

#endif  // SDA_TABLES_TABLE_EVAL_H_
