#include "models/table_fit.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "data/model_file.h"

namespace sda {

// A tensor that owns its numbers.
struct NamedTensor {
  std::string name;
  std::vector<uint64_t> shape;
  std::vector<double> doubles;
  std::vector<int64_t> integers;
};

namespace {

constexpr const char* kFormatVersion = "1";

// The two parameter spaces as tensors of a model file, and back.
std::vector<NamedTensor> ToTensors(const Dense& params) {
  return {{"posterior", {params.size()}, params.values(), {}}};
}

void FromTensors(const ModelFile& file, const Dense& prior, Dense* params) {
  const auto values = file.doubles("posterior");
  *params = Dense(std::vector<double>(values.begin(), values.end()));
  if (params->size() != prior.size()) {
    throw std::runtime_error(fmt::format("{}: has {} parameters, expected {}", file.path(),
                                         params->size(), prior.size()));
  }
}

std::vector<NamedTensor> ToTensors(const KeyedRows& params) {
  NamedTensor keys{"keys", {params.rows()}, {}, {}};
  NamedTensor rows{"posterior", {params.rows(), params.width()}, {}, {}};
  for (size_t r = 0; r < params.rows(); ++r) {
    keys.integers.push_back(static_cast<int64_t>(params.key(r)));
    const auto row = params.row(r);
    rows.doubles.insert(rows.doubles.end(), row.begin(), row.end());
  }
  return {std::move(keys), std::move(rows)};
}

void FromTensors(const ModelFile& file, const KeyedRows& prior, KeyedRows* params) {
  const auto keys = file.integers("keys");
  const auto values = file.doubles("posterior");
  const size_t width = prior.width();
  if (values.size() != keys.size() * width) {
    throw std::runtime_error(file.path() + ": keys and posterior do not go together");
  }
  *params = prior;
  std::vector<double> change(width);
  for (size_t r = 0; r < keys.size(); ++r) {
    if (keys[r] < 0) throw std::runtime_error(file.path() + ": has a bad key");
    const auto before = params->At(keys[r]);
    for (size_t k = 0; k < width; ++k) change[k] = values[r * width + k] - before[k];
    params->Add(keys[r], change);
  }
}

// Of the parameters of a model, whatever it has learnt.
size_t Shape(const Dense& params) { return params.size(); }
size_t Shape(const KeyedRows& params) { return params.width(); }

template <class Model>
class TableFitOf : public TableFit {
 public:
  using Params = decltype(std::declval<const Model>().Prior());

  TableFitOf(TableSpec spec, Model model)
      : TableFit(std::move(spec)),
        model_(std::move(model)),
        store_(std::make_unique<MemoryStore<Params>>(model_.Prior())) {}

  PosteriorCopy CopyOfPosterior() const override { return CopyPosterior(*store_); }

  std::vector<Estimate> Describe() const override { return model_.Describe(store_->Read().params); }

  std::vector<Estimate> Predict(const Table& features) const override {
    if constexpr (requires { model_.Predict(store_->Read().params, features); }) {
      return model_.Predict(store_->Read().params, features);
    } else {
      return TableFit::Predict(features);
    }
  }

 protected:
  Summary RunLoop(Source<Table>& source, const RunOptions& options,
                  const Observer& observer) override {
    return Run(source, model_, *store_, options, observer);
  }

  void SetCategories(const std::vector<Dictionary>& categories) override {
    if constexpr (requires { model_.SetCategories(categories); }) model_.SetCategories(categories);
  }

  std::vector<NamedTensor> Tensors() const override { return ToTensors(store_->Read().params); }

  void SetTensors(const ModelFile& file) override {
    Snapshot<Params> posterior;
    FromTensors(file, store_->prior(), &posterior.params);
    store_ = std::make_unique<MemoryStore<Params>>(store_->prior(), std::move(posterior));
  }

  void SetPosterior(const Checkpoint& checkpoint) override {
    auto posterior = checkpoint.Posterior<Params>();
    if (Shape(posterior.params) != Shape(store_->prior())) {
      throw std::runtime_error(checkpoint.path + ": does not have the parameters of this model");
    }
    store_ = std::make_unique<MemoryStore<Params>>(store_->prior(), std::move(posterior));
  }

 private:
  Model model_;
  std::unique_ptr<MemoryStore<Params>> store_;
};

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

void TableFit::Restore(const Checkpoint& checkpoint) {
  SetPosterior(checkpoint);
  spec_.rows = checkpoint.progress.total().items;
}

Summary TableFit::Fit(TableSource& source, const RunOptions& options, const Observer& observer,
                      Source<Table>* stream) {
  const Summary summary = RunLoop(stream == nullptr ? source : *stream, options, observer);
  spec_.rows += summary.items;
  if (FindTableModel(spec_.model).kind == ColumnKind::kCategory) {
    SetCategories(source.categories());
    spec_.categories.clear();
    for (const Dictionary& names : source.categories()) spec_.categories.push_back(names.names());
  }
  return summary;
}

std::vector<Estimate> TableFit::Predict(const Table&) const {
  throw std::invalid_argument("model " + spec_.model + " has no target to predict");
}

void TableFit::Save(const std::string& path) const {
  const nlohmann::json spec = {{"columns", spec_.columns},       {"intercept", spec_.intercept},
                               {"prior", spec_.prior},           {"origin", spec_.origin},
                               {"categories", spec_.categories}, {"rows", spec_.rows}};
  const std::vector<NamedTensor> tensors = Tensors();
  std::vector<TensorSpec> views;
  views.reserve(tensors.size());
  for (const NamedTensor& t : tensors) views.push_back({t.name, t.shape, t.doubles, t.integers});
  WriteModelFile(path,
                 {{"format_version", kFormatVersion},
                  {"program_version", SDA_VERSION},
                  {"model", spec_.model},
                  {"spec", spec.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)}},
                 views);
}

std::unique_ptr<TableFit> TableFit::Load(const std::string& path) {
  const ModelFile file(path);
  if (file.metadata("model") == "lda") {
    throw std::runtime_error(path + ": is a topic model; look at it with: sda topics " + path);
  }
  if (file.metadata("format_version") != kFormatVersion) {
    throw std::runtime_error(fmt::format("{}: is of format version {}, this program reads {}", path,
                                         file.metadata("format_version"), kFormatVersion));
  }
  try {
    const auto json = nlohmann::json::parse(file.metadata("spec"));
    TableSpec spec;
    spec.model = file.metadata("model");
    spec.columns = json.at("columns").get<std::vector<std::string>>();
    spec.intercept = json.at("intercept").get<bool>();
    spec.prior = json.at("prior").get<std::map<std::string, double>>();
    spec.origin = json.at("origin").get<std::vector<double>>();
    spec.categories = json.at("categories").get<std::vector<std::vector<std::string>>>();
    spec.rows = json.at("rows").get<uint64_t>();
    auto fit = Make(spec);
    std::vector<Dictionary> categories(spec.categories.size());
    for (size_t c = 0; c < categories.size(); ++c) {
      for (const std::string& name : spec.categories[c]) categories[c].NumberOf(name);
    }
    fit->SetCategories(categories);
    fit->SetTensors(file);
    return fit;
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(path + ": is not a model on tables: " + e.what());
  } catch (const std::logic_error& e) {
    throw std::runtime_error(path + ": " + e.what());
  }
}

}  // namespace sda
