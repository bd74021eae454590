#ifndef SDA_TABLES_TABLE_MODEL_H_
#define SDA_TABLES_TABLE_MODEL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/tables/table_source.h"
#include "sda/context.h"
#include "sda/tables.h"

namespace sda {

// How a model's columns are read from CSV: as those it was fitted to.
struct TableReading {
  char delimiter = ',';
  std::optional<bool> header;
  bool skip_missing = false;
  std::vector<OneHotColumn> one_hot;
  std::vector<std::string> columns;  // in the file, if some are one_hot: the target last

  bool operator==(const TableReading&) const = default;
};

// Which model, on which columns: all that must be saved with a posterior to make sense of it.
struct TableSpec {
  std::string model;
  std::vector<std::string> columns;            // the target last, if the model has one
  TableReading reading;                        // of the columns from CSV
  bool intercept = true;                       // regressions only
  std::map<std::string, double> prior;         // numbers of the prior that are not the default
  std::map<std::string, OptionValue> options;  // of the model; missing: the default
  std::vector<double> origin;                  // of each column, for models that have one
  std::vector<double> scale;                   // of each column, beside the origin
  std::vector<std::vector<std::string>> categories;  // of each column, for models that have them
  uint64_t rows = 0;                                 // seen
  bool diagonal = false;                             // classifiers: independent coefficients
  bool sparse = false;  // classifiers: rows are svmlight, and if diagonal no feature has a name
  uint64_t unconverged_minibatches = 0;  // classifiers
};

// An option that a model has beside its prior.
struct ModelOption {
  std::string name;                  // the key in JSON; half_life is --half-life
  std::string help;                  // without the models that have it, and without the choices
  OptionValue usual;                 // the default; all values are of its type
  std::vector<std::string> choices;  // of a text; empty: any
  bool saved = true;                 // with the model; false: it matters to fitting alone
};

struct PriorNumber {
  std::string name;
  double usual;
};

// What a model is made from.
struct TableModel;
struct TableMaking {
  const TableSpec& spec;
  const TableModel& model;
  const Context& context;

  // As given in the spec, or the default.
  double Prior(const std::string& name) const;
  uint64_t Whole(const std::string& option) const;
  const std::string& Text(const std::string& option) const;
};

// A model on tables as the session and the command line know it. Each has a file in tables/models
// that makes one of these, and a line in table_models.cc.
struct TableModel {
  std::string name;
  std::string summary;
  std::vector<PriorNumber> prior;
  ColumnKind kind = ColumnKind::kNumber;
  bool has_target = false;
  bool classifies = false;  // the target is one of two classes
  bool clusters = false;    // has components, which the first minibatch has to find
  std::vector<ModelOption> options;
  // Throws UsageError naming what is wrong with the spec.
  std::function<std::unique_ptr<TableFit>(const TableMaking&)> make;

  const ModelOption* FindOption(const std::string& option) const;  // null: it has none
  // The value of an option: as given, or the default.
  const OptionValue& Option(const std::map<std::string, OptionValue>& given,
                            const std::string& option) const;
  std::string PriorText() const;  // "heads=1, tails=1"
};

// Models by name.
class TableModelList {
 public:
  // Throws std::logic_error if there is one of that name, or if an option has the name of another
  // one that means something else.
  void Add(TableModel model);
  const std::vector<TableModel>& all() const { return models_; }
  // Throws UsageError listing the models if there is none of that name.
  const TableModel& Find(const std::string& name) const;

 private:
  std::vector<TableModel> models_;
};

// Of the built-in ones.
const std::vector<TableModel>& TableModels();
const TableModel& FindTableModel(const std::string& name);

// An option's value in a message, and its name on the command line.
std::string ToText(const OptionValue& value);
std::string OptionFlag(std::string name);
// "auto, dense or diagonal".
std::string ListOfChoices(const std::vector<std::string>& choices);

}  // namespace sda

#endif  // SDA_TABLES_TABLE_MODEL_H_
