// The models on tables by name: what the command line says of each, and how it is made.

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "tables/table_fit_of.h"

namespace sda {
namespace {

template <class Model>
std::unique_ptr<TableFit> Wrap(const TableSpec& spec, Model model) {
  return std::make_unique<TableFitOf<Model>>(spec, std::move(model));
}

// Sets the fields that the user gave.
void ReadPrior(const TableSpec& spec, const std::map<std::string, double*>& fields) {
  for (const auto& [name, value] : spec.prior) {
    const auto found = fields.find(name);
    if (found == fields.end()) {
      throw std::invalid_argument(fmt::format("the prior of model {} has no \"{}\"; it has {}",
                                              spec.model, name, FindTableModel(spec.model).prior));
    }
    *found->second = value;
  }
}

std::unique_ptr<TableFit> MakeCoin(const TableSpec& spec) {
  Coin::PriorOptions prior;
  ReadPrior(spec, {{"heads", &prior.heads}, {"tails", &prior.tails}});
  return Wrap(spec, Coin(spec.columns, prior));
}

std::unique_ptr<TableFit> MakeCategorical(const TableSpec& spec) {
  Categorical::PriorOptions prior;
  ReadPrior(spec, {{"concentration", &prior.concentration}});
  return Wrap(spec, Categorical(spec.columns, prior));
}

std::unique_ptr<TableFit> MakePoisson(const TableSpec& spec) {
  Poisson::PriorOptions prior;
  ReadPrior(spec, {{"shape", &prior.shape}, {"rate", &prior.rate}});
  return Wrap(spec, Poisson(spec.columns, prior));
}

std::unique_ptr<TableFit> MakeNormal(const TableSpec& spec) {
  Normal::PriorOptions prior;
  ReadPrior(spec, {{"mean", &prior.mean},
                   {"weight", &prior.weight},
                   {"shape", &prior.shape},
                   {"rate", &prior.rate}});
  return Wrap(spec, Normal(spec.columns, prior, spec.origin));
}

std::unique_ptr<TableFit> MakeLinear(const TableSpec& spec) {
  Linear::PriorOptions prior;
  ReadPrior(spec,
            {{"precision", &prior.precision}, {"shape", &prior.shape}, {"rate", &prior.rate}});
  std::vector<std::string> features = spec.columns;
  if (features.empty()) throw std::invalid_argument("a regression needs a target column");
  features.pop_back();
  return Wrap(spec, Linear(features, prior, spec.intercept,
                           spec.intercept ? spec.origin : std::vector<double>()));
}

std::unique_ptr<TableFit> MakeClassifier(const TableSpec& spec, Link link) {
  ClassifierOptions options;
  options.link = link;
  options.method = spec.primitive == "vb" ? SiteMethod::kVb : SiteMethod::kEp;
  options.intercept = spec.intercept;
  ReadPrior(spec, {{"sd", &options.sd}, {"intercept_sd", &options.intercept_sd}});
  std::vector<std::string> features = spec.columns;
  if (features.empty()) throw std::invalid_argument("a regression needs a target column");
  features.pop_back();
  if (features.empty() && !spec.intercept && !spec.sparse) {
    throw std::invalid_argument("a regression needs at least one feature or an intercept");
  }
  if (!spec.scale.empty()) {
    if (spec.scale.size() != spec.columns.size() || spec.origin.size() != spec.columns.size()) {
      throw std::invalid_argument("an origin and a scale are needed for each column, or none");
    }
    options.scale.assign(spec.scale.begin(), spec.scale.end() - 1);
    if (spec.intercept) options.origin.assign(spec.origin.begin(), spec.origin.end() - 1);
  }
  if (spec.diagonal) return Wrap(spec, DiagonalClassifier(features, options));
  return Wrap(spec, Classifier(features, options));
}

std::unique_ptr<TableFit> MakeProbit(const TableSpec& spec) {
  return MakeClassifier(spec, Link::kProbit);
}

std::unique_ptr<TableFit> MakeLogistic(const TableSpec& spec) {
  return MakeClassifier(spec, Link::kLogistic);
}

std::unique_ptr<TableFit> MakeMixture(const TableSpec& spec) {
  MixtureOptions options;
  options.components = spec.components;
  options.seed = spec.seed;
  options.origin = spec.origin;
  options.scale = spec.scale;
  ReadPrior(spec, {{"concentration", &options.concentration},
                   {"weight", &options.weight},
                   {"spread", &options.spread}});
  return Wrap(spec, Mixture(spec.columns, options));
}

struct Entry {
  TableModel model;
  std::unique_ptr<TableFit> (*make)(const TableSpec&);
};

// The factory: a new model on tables is one more line here.
const std::vector<Entry>& Entries() {
  static const std::vector<Entry> entries = {
      {{"coin", "share of ones in columns of 0 and 1", "heads=1, tails=1", ColumnKind::kBinary,
        false},
       MakeCoin},
      {{"categorical", "shares of the categories in text columns", "concentration=1",
        ColumnKind::kCategory, false},
       MakeCategorical},
      {{"normal", "mean and spread of number columns", "mean=0, weight=0, shape=0, rate=0",
        ColumnKind::kNumber, false},
       MakeNormal},
      {{"poisson", "rate of count columns", "shape=0.5, rate=0", ColumnKind::kCount, false},
       MakePoisson},
      {{"linear", "regression of a target column on the others", "precision=0, shape=0, rate=0",
        ColumnKind::kNumber, true},
       MakeLinear},
      {{"probit", "classes of a target column, P = Phi(score)", "sd=2.5, intercept_sd=10",
        ColumnKind::kNumber, true, true},
       MakeProbit},
      {{"logistic", "classes of a target column, P = 1 / (1 + exp(-score))",
        "sd=2.5, intercept_sd=10", ColumnKind::kNumber, true, true},
       MakeLogistic},
      {{"mixture", "clusters of rows: a mixture of Gaussians",
        "concentration=1, weight=0.01, spread=0.3", ColumnKind::kNumber, false, false, true},
       MakeMixture},
  };
  return entries;
}

const Entry& FindEntry(const std::string& name) {
  std::string names;
  for (const Entry& entry : Entries()) {
    if (name == entry.model.name) return entry;
    names += (names.empty() ? "" : ", ") + std::string(entry.model.name);
  }
  throw std::invalid_argument(fmt::format("no model \"{}\"; the models are lda, {}", name, names));
}

}  // namespace

const std::vector<TableModel>& TableModels() {
  static const std::vector<TableModel> models = [] {
    std::vector<TableModel> list;
    for (const Entry& entry : Entries()) list.push_back(entry.model);
    return list;
  }();
  return models;
}

const TableModel& FindTableModel(const std::string& name) { return FindEntry(name).model; }

std::unique_ptr<TableFit> TableFit::Make(const TableSpec& spec) {
  return FindEntry(spec.model).make(spec);
}

}  // namespace sda
