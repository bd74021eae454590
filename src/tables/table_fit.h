#ifndef SDA_TABLES_TABLE_FIT_H_
#define SDA_TABLES_TABLE_FIT_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/tables/svmlight_source.h"
#include "data/tables/table_source.h"
#include "sda/checkpoint.h"
#include "sda/loop.h"
#include "sda/mixture.h"
#include "sda/models.h"

namespace sda {

// Which model, on which columns: all that must be saved with a posterior to make sense of it.
struct TableSpec {
  std::string model;
  std::vector<std::string> columns;     // the target last, if the model has one
  bool intercept = true;                // regressions only
  std::map<std::string, double> prior;  // options of the prior that are not the default
  std::vector<double> origin;           // of each column, for models that have one
  std::vector<std::vector<std::string>> categories;  // of each column, for models that have them
  uint64_t rows = 0;                                 // seen
  std::vector<double> scale;                         // of each column, beside the origin
  std::string primitive;                             // of classifiers: "ep" or "vb"
  bool diagonal = false;                             // classifiers: independent coefficients
  bool sparse = false;      // classifiers: rows are svmlight, and if diagonal no feature has a name
  uint64_t components = 2;  // mixtures
  uint64_t seed = 1;        // mixtures
  uint64_t unconverged_minibatches = 0;  // classifiers
};

// Up to so many features a classifier has the full covariance unless told otherwise: its cost a row
// grows as the square of their number.
inline constexpr uint64_t kMostDenseFeatures = 300;

// What `sda predict` writes: numbers for each row, under these names.
struct Predictions {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};

// What the command line says of a model on tables.
struct TableModel {
  const char* name;
  const char* summary;
  const char* prior;  // the options of its prior, with their defaults
  ColumnKind kind;
  bool has_target;
  bool classifies = false;  // the target is one of two classes
  bool clusters = false;    // has components, which the first minibatch has to find
};
const std::vector<TableModel>& TableModels();
// Throws std::invalid_argument listing the models if there is none of that name.
const TableModel& FindTableModel(const std::string& name);

// A model of any parameter space with its posterior so far.
class TableFit {
 public:
  // Throws std::invalid_argument naming what is wrong with the spec.
  static std::unique_ptr<TableFit> Make(const TableSpec& spec);
  static std::unique_ptr<TableFit> Load(const std::string& path);
  virtual ~TableFit() = default;

  const TableSpec& spec() const { return spec_; }

  // Runs the loop on the rows of source, which has the columns of the spec. They come by way of
  // `stream`, if it is given.
  Summary Fit(TableSource& source, const RunOptions& options, const Observer& observer,
              Source<Table>* stream = nullptr);
  Summary Fit(SvmlightSource& source, const RunOptions& options, const Observer& observer,
              Source<SparseRows>* stream = nullptr);

  // The posterior as it is now; may be called while Fit() runs. And back.
  virtual PosteriorCopy CopyOfPosterior() const = 0;
  void Restore(const Checkpoint& checkpoint);
  // Before Fit(), while it runs and after: minibatches that did not converge.
  uint64_t UnconvergedMinibatches() const { return spec_.unconverged_minibatches + Unconverged(); }

  virtual std::vector<Estimate> Describe() const = 0;
  // What a reader of the estimates should know, a sentence each.
  std::vector<std::string> Notes() const;
  // The target of each row of features, or its component. Throws std::invalid_argument if the model
  // has neither.
  virtual Predictions Predict(const Table& features) const = 0;
  virtual Predictions Predict(const SparseRows& features) const = 0;

  void Save(const std::string& path) const;
  // The posterior of an earlier moment; the spec is that of Make(), with the rows and categories of
  // then. May be called while Fit() runs.
  void SaveCopy(const PosteriorCopy& copy, TableSpec spec, const std::string& path) const;

 protected:
  explicit TableFit(TableSpec spec) : spec_(std::move(spec)) {}
  virtual Summary RunLoop(Source<Table>& source, const RunOptions& options,
                          const Observer& observer) = 0;
  virtual Summary RunLoop(Source<SparseRows>& source, const RunOptions& options,
                          const Observer& observer) = 0;
  virtual void SetCategories(const std::vector<Dictionary>&) {}
  virtual std::vector<std::string> Undecided() const { return {}; }
  // Minibatches of Fit() so far that did not converge.
  virtual uint64_t Unconverged() const { return 0; }
  // Of the posterior as it is now, and as it was.
  virtual std::vector<struct NamedTensor> Tensors() const = 0;
  virtual std::vector<struct NamedTensor> TensorsOf(const PosteriorCopy& copy) const = 0;
  virtual void SetTensors(const class ModelFile& file) = 0;
  virtual void SetPosterior(const Checkpoint& checkpoint) = 0;

 private:
  void Keep(const Summary& summary, const std::vector<Dictionary>& categories);

  TableSpec spec_;
};

}  // namespace sda

#endif  // SDA_TABLES_TABLE_FIT_H_
