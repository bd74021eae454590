#ifndef SDA_TABLE_STREAM_H_
#define SDA_TABLE_STREAM_H_

#include <memory>
#include <string>
#include <vector>

#include "sda/context.h"
#include "sda/estimate.h"
#include "sda/export.h"
#include "sda/observer.h"
#include "sda/table.h"
#include "sda/tables.h"

namespace SDA_EXPORT sda {

// A model on tables that is pushed rows that are in memory: what TableSession is for files. The
// first rows settle the units of the columns, and the components of a mixture; so there should be
// some hundred of them, for a mixture some thousand. Used by one thread at a time.
class TableStream {
 public:
  // Of the options, inputs, columns and target are not used: the columns are these, the target last
  // if the model has one. Throws UsageError.
  TableStream(TableFitOptions options, std::vector<std::string> columns,
              Context context = Context());
  // A model from a file, to predict with and to continue. Of `run` what a file does not have is
  // used: half-life, minibatches, schedule and workers. Throws InputError.
  static TableStream Load(const std::string& path, Context context = Context(),
                          const TableFitOptions& run = {});
  ~TableStream();
  TableStream(TableStream&&) noexcept;
  TableStream& operator=(TableStream&&) noexcept;

  // Learns from one minibatch. Categories and classes are numbered in the rows; `names` are those
  // of each column, of which later calls may have more. Throws InputError naming row and column of
  // a value that the model cannot take, and RunError, also when the context is interrupted: what
  // was learnt from whole minibatches stays.
  void Update(const Table& rows, const std::vector<Dictionary>& names = {});
  // Learns from rows in minibatches of the size of the options, by their schedule.
  void Fit(const Table& rows, const std::vector<Dictionary>& names = {});

  // Those given; of a model from a file what it has of them, and `run`.
  const TableFitOptions& options() const;
  const std::vector<std::string>& columns() const;
  // Names of the categories or classes of each column, in the order of their numbers; empty if the
  // model has none, or no rows yet.
  std::vector<std::vector<std::string>> categories() const;
  // Of a classifier, the class that probabilities are of; empty before the first rows.
  std::string positive_class() const;
  uint64_t rows() const;  // learnt from
  // The posterior so far, and what a reader should know. Throws std::domain_error while there are
  // too few rows.
  std::vector<Estimate> Describe() const;
  std::vector<std::string> Notes() const;

  // For each row of features: mean, sd and 95% interval of the target or its probability; of a
  // mixture the component (from 1) and the probability of each. Throws UsageError if the model has
  // nothing to predict.
  struct Predicted {
    std::vector<std::string> names;
    std::vector<std::vector<double>> rows;
  };
  Predicted Predict(const Table& features) const;

  void Save(const std::string& path) const;

 private:
  struct State;
  explicit TableStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sda

#endif  // SDA_TABLE_STREAM_H_
