#ifndef SDA_TABLES_TABLE_FIT_H_
#define SDA_TABLES_TABLE_FIT_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/tables/svmlight_source.h"
#include "data/tables/table_source.h"
#include "sda/checkpoint.h"
#include "sda/forgetting_store.h"
#include "sda/loop.h"
#include "tables/table_model.h"

namespace sda {

// What `sda predict` writes: numbers for each row, under these names.
struct Predictions {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  bool approximate = false;  // the intervals: see Estimate
};

// A model of any parameter space with its posterior so far.
class TableFit {
 public:
  // Throws UsageError naming what is wrong with the spec.
  static std::unique_ptr<TableFit> Make(const TableSpec& spec, const Context& context = Context(),
                                        const TableModelList& models = BuiltInTableModels());
  // Throws InputError naming the file and what is wrong with it.
  static std::unique_ptr<TableFit> Load(const std::string& path, const Context& context = Context(),
                                        const TableModelList& models = BuiltInTableModels());
  virtual ~TableFit() = default;

  const TableSpec& spec() const { return spec_; }
  const TableModel& model() const { return model_; }

  // Runs the loop on the rows of source, which has the columns of the spec. They come by way of
  // `stream`, if it is given.
  Summary Fit(TableSource& source, const RunOptions& options = {}, const Observer& observer = {},
              const Context& context = Context(), Source<Table>* stream = nullptr);
  Summary Fit(SvmlightSource& source, const RunOptions& options = {}, const Observer& observer = {},
              const Context& context = Context(), Source<SparseRows>* stream = nullptr);

  // The same for rows that are in memory, with the categories seen so far.
  Summary Fit(Source<Table>& rows, const std::vector<Dictionary>& categories,
              const RunOptions& options, const Context& context);

  // From now on how fast to forget is learnt; if the posterior is that of a checkpoint of such a
  // run, it goes on. Before Fit(); once.
  virtual void LearnForgetting(const ForgettingRates& rates, const Context& context) = 0;
  std::optional<ForgettingHistory> forgetting() const;

  // The posterior as it is now; may be called while Fit() runs. And back.
  virtual PosteriorCopy CopyOfPosterior() const = 0;
  void Restore(const Checkpoint& checkpoint);
  // Before Fit(), while it runs and after: minibatches that did not converge.
  uint64_t UnconvergedMinibatches() const { return spec_.unconverged_minibatches + Unconverged(); }

  virtual std::vector<Estimate> Describe() const = 0;
  // What a reader of the estimates should know, a sentence each.
  std::vector<std::string> Notes() const;
  // The target of each row of features, or its component. Throws UsageError if the model has
  // neither.
  virtual Predictions Predict(const Table& features) const = 0;
  virtual Predictions Predict(const SparseRows& features) const = 0;

  // The log predictive probability, or density, of each row, its target included; log 0 for what
  // has none, such as a category never seen. Throws std::domain_error if it cannot be computed.
  virtual std::vector<double> LogPredictive(const Table& rows) const = 0;
  virtual std::vector<double> LogPredictive(const SparseRows& rows) const = 0;

  // Throws InputError if the posterior is not valid, IoError if it cannot be written; a file that
  // is there then stays as it was.
  void Save(const std::string& path) const;
  // The posterior of an earlier moment; the spec is that of Make(), with the rows and categories of
  // then. May be called while Fit() runs.
  void SaveCopy(const PosteriorCopy& copy, TableSpec spec, const std::string& path) const;

 protected:
  explicit TableFit(const TableMaking& making) : spec_(making.spec), model_(making.model) {}
  virtual Summary RunLoop(Source<Table>& source, const RunOptions& options,
                          const Observer& observer, const Context& context) = 0;
  virtual Summary RunLoop(Source<SparseRows>& source, const RunOptions& options,
                          const Observer& observer, const Context& context) = 0;
  virtual void SetCategories(const std::vector<Dictionary>&) {}
  virtual std::vector<std::string> Undecided() const { return {}; }
  // Minibatches of Fit() so far that did not converge.
  virtual uint64_t Unconverged() const { return 0; }
  // Of the posterior as it is now, and as it was. Throws std::domain_error if it is not valid.
  virtual std::vector<struct NamedTensor> Tensors() const = 0;
  virtual std::vector<struct NamedTensor> TensorsOf(const PosteriorCopy& copy) const = 0;
  virtual void SetTensors(const class ModelFile& file) = 0;
  virtual void SetPosterior(const Checkpoint& checkpoint) = 0;
  virtual std::optional<ForgettingRates> Rates() const = 0;  // if they are learnt

 private:
  void Keep(const Summary& summary, const std::vector<Dictionary>& categories);
  // Whether what is saved has to name them.
  bool HasCategories() const;
  std::vector<std::string> ClassNotes() const;
  void Write(const TableSpec& spec, const std::vector<struct NamedTensor>& tensors,
             const std::string& path) const;

  TableSpec spec_;
  TableModel model_;
};

}  // namespace sda

#endif  // SDA_TABLES_TABLE_FIT_H_
