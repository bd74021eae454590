#ifndef SDA_TABLES_H_
#define SDA_TABLES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sda/context.h"
#include "sda/estimate.h"
#include "sda/export.h"
#include "sda/forgetting.h"
#include "sda/observer.h"
#include "sda/options.h"

namespace SDA_EXPORT sda {

class TableFit;
class TableModelList;

// The models on tables that the library has.
const TableModelList& BuiltInTableModels();

// Of an option that single models have: a whole number, a number or a text.
using OptionValue = std::variant<uint64_t, double, std::string>;

// Everything that a model on tables depends on, but the rows. The options of the command line have
// the same names, and so have the keys of the JSON.
struct TableFitOptions {
  std::string model;                // coin, categorical, normal, poisson, linear, ...
  std::vector<std::string> inputs;  // "-" is standard input; the last one is followed
  std::string format = "auto";      // auto (by the name), csv or svmlight, which classifiers read

  // How CSV is read. One character, or "tab"; header unset: the first line names the columns, and
  // is refused if it looks like data; a row with a missing value is an error (refuse) or left out
  // (skip).
  std::string delimiter = ",";
  std::optional<bool> header;
  std::string missing = "refuse";

  std::vector<std::string> columns;  // to use; empty: all
  std::string target;                // column to predict, of models that have one
  bool intercept = true;             // of regressions; no_intercept in JSON
  // Columns of text, of regressions: each becomes columns of 0 and 1, one for each level but the
  // reference. Levels are those of the first minibatch, or are declared, the reference first.
  std::vector<std::string> one_hot;
  std::map<std::string, std::vector<std::string>> levels;
  std::map<std::string, double> prior;  // numbers of the model's prior other than the default
  // Of the options that only this model has (TableModel::options) those that were given.
  std::map<std::string, OptionValue> model_options;

  // The run: see RunOptions. A half-life of 0 forgets nothing.
  Schedule schedule = Schedule::kSerial;
  int workers = 1;
  WorkerPrior worker_prior = WorkerPrior::kLatestPosterior;
  double half_life = 0;  // rows; kAutoHalfLife: learnt, see forgetting.h

  // Rows per round, over all workers: 1,000, or fewer with a short half-life. And in the first
  // minibatch of models that have to find clusters: 10,000.
  std::optional<int64_t> minibatch;
  std::optional<int64_t> first_minibatch;

  bool follow = false;            // the last input never ends: wait for it to grow
  double minibatch_seconds = 10;  // with follow: after this, fewer rows will do

  // Throws UsageError naming the option and its value, also for options that conflict or that the
  // model does not have. No input is opened.
  void Validate(const TableModelList& models = BuiltInTableModels()) const;

  RunOptions Run(const TableModelList& models = BuiltInTableModels()) const;

  // One JSON object, with what is not set left out. FromJson takes each key that is missing as not
  // set, and throws InputError for keys it does not know and values of another type.
  std::string ToJson() const;
  static TableFitOptions FromJson(const std::string& json,
                                  const TableModelList& models = BuiltInTableModels());
};

// How a run is saved while it runs, so that it can be resumed after any failure.
struct TableSaving {
  std::string checkpoint;        // folder; empty: none
  std::string checkpoint_every;  // 30s, or a number of minibatches; empty: the default
  bool resume = false;           // from the last checkpoint, if there is one
  std::string output;            // with follow, where the model is saved as the run goes
  std::string settings = "{}";   // a JSON object, kept in the checkpoints for ReadStoredOptions
};

// Fits a model to the rows of its inputs: all that `sda fit` does for models on tables.
class TableSession {
 public:
  // Validates the options, opens the inputs, or finds the checkpoint to resume from, and reads the
  // first rows, from which the unit of each column is estimated. Notices go to the context's log;
  // when the context is stopped, the run ends, after the rows already read if there are no
  // checkpoints. Throws UsageError, InputError and IoError. `models` must outlive this.
  explicit TableSession(TableFitOptions options, TableSaving saving = {},
                        Context context = Context(),
                        const TableModelList& models = BuiltInTableModels());
  ~TableSession();

  // Learns from all rows and returns the summary, including the work before a checkpoint; the
  // observer sees the same. To be called once. If the last checkpoint cannot be written, the rest
  // is still valid, and checkpoint_failure() is the error.
  Summary Run(const Observer& observer = {});
  std::exception_ptr checkpoint_failure() const;

  // Saves a checkpoint, and with follow the model, as soon as possible. From any thread.
  void SaveNow();

  // The posterior so far.
  std::vector<Estimate> Describe() const;
  // What a reader of the estimates should know, a sentence each.
  std::vector<std::string> Notes() const;
  const TableFit& fit() const;
  // If how fast to forget is learnt: half_life is kAutoHalfLife.
  std::optional<ForgettingHistory> forgetting() const;

  // Writes the model to a file.
  void Save(const std::string& path) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sda

#endif  // SDA_TABLES_H_
