#include "models/table_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "data/class_name.h"
#include "data/model_file.h"
#include "sda/classifier.h"

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

// A source of the same minibatches in another form.
template <class From, class To>
class MappedSource : public Source<To> {
 public:
  MappedSource(Source<From>* source, std::function<To(const From&)> map)
      : source_(source), map_(std::move(map)) {}
  std::optional<Minibatch<To>> Next() override {
    auto minibatch = source_->Next();
    if (!minibatch) return std::nullopt;
    return Minibatch<To>{minibatch->id, minibatch->items, std::move(minibatch->position),
                         map_(minibatch->data)};
  }
  void Resume(const std::string& position) override { source_->Resume(position); }

 private:
  Source<From>* source_;
  std::function<To(const From&)> map_;
};

Predictions ToPredictions(const std::string& mean, const std::vector<Estimate>& estimates) {
  Predictions predictions{{mean, "sd", "lower", "upper"}, {}};
  for (const Estimate& e : estimates) {
    predictions.rows.push_back({e.mean, e.sd, e.lower, e.upper});
  }
  return predictions;
}

// The component that a row belongs to most likely, and the probability of each.
Predictions ToPredictions(const Table& responsibilities) {
  Predictions predictions{{"component"}, {}};
  for (size_t k = 1; k <= responsibilities.columns; ++k) {
    predictions.names.push_back("probability_" + std::to_string(k));
  }
  for (size_t i = 0; i < responsibilities.size(); ++i) {
    const auto row = responsibilities.row(i);
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    predictions.rows.push_back({static_cast<double>(best + 1)});
    predictions.rows.back().insert(predictions.rows.back().end(), row.begin(), row.end());
  }
  return predictions;
}

template <class Model>
class TableFitOf : public TableFit {
 public:
  using Params = decltype(std::declval<const Model>().Prior());
  static constexpr bool kSparse = std::is_base_of_v<Primitive<SparseRows, Params>, Model>;

  TableFitOf(TableSpec spec, Model model)
      : TableFit(std::move(spec)),
        model_(std::move(model)),
        store_(std::make_unique<MemoryStore<Params>>(model_.Prior())) {}

  PosteriorCopy CopyOfPosterior() const override { return CopyPosterior(*store_); }

  std::vector<Estimate> Describe() const override { return model_.Describe(store_->Read().params); }

  Predictions Predict(const Table& features) const override {
    const Params posterior = store_->Read().params;
    if constexpr (kSparse) {
      return Predict(ToSparse(features, false));
    } else if constexpr (requires { model_.Responsibilities(posterior, features); }) {
      return ToPredictions(model_.Responsibilities(posterior, features));
    } else if constexpr (requires { model_.Predict(posterior, features); }) {
      return ToPredictions(spec().primitive.empty() ? "mean" : "probability",
                           model_.Predict(posterior, features));
    } else {
      throw std::invalid_argument("model " + spec().model + " has no target to predict");
    }
  }

  Predictions Predict(const SparseRows& features) const override {
    if constexpr (kSparse) {
      return ToPredictions("probability", model_.Predict(store_->Read().params, features));
    } else {
      return Predict(ToTable(features, spec().columns.size() - 1));
    }
  }

 protected:
  Summary RunLoop(Source<Table>& source, const RunOptions& options,
                  const Observer& observer) override {
    if constexpr (kSparse) {
      MappedSource<Table, SparseRows> sparse(
          &source, [](const Table& table) { return ToSparse(table, true); });
      return Run(sparse, model_, *store_, options, observer);
    } else {
      return Run(source, model_, *store_, options, observer);
    }
  }

  Summary RunLoop(Source<SparseRows>& source, const RunOptions& options,
                  const Observer& observer) override {
    if constexpr (kSparse) {
      return Run(source, model_, *store_, options, observer);
    } else {
      MappedSource<SparseRows, Table> tables(
          &source, [this](const SparseRows& r) { return ToTable(r, spec().columns.size() - 1); });
      return Run(tables, model_, *store_, options, observer);
    }
  }

  void SetCategories(const std::vector<Dictionary>& categories) override {
    if constexpr (requires { model_.SetCategories(categories); }) model_.SetCategories(categories);
    if constexpr (requires { model_.SwapClasses(true); }) {
      // Class 0 is the one seen first.
      if (categories.empty()) return;
      const auto& classes = categories.back().names();
      model_.SwapClasses(!classes.empty() && PositiveClass(classes) == classes[0]);
    }
  }

  std::vector<std::string> Undecided() const override {
    if constexpr (requires { model_.Undecided(store_->Read().params); }) {
      return model_.Undecided(store_->Read().params);
    } else {
      return {};
    }
  }

  std::vector<NamedTensor> Tensors() const override { return ToTensors(store_->Read().params); }

  std::vector<NamedTensor> TensorsOf(const PosteriorCopy& copy) const override {
    return ToTensors(static_cast<const Snapshot<Params>*>(copy.snapshot.get())->params);
  }

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

std::unique_ptr<TableFit> MakeClassifier(const TableSpec& spec, Link link) {
  ClassifierOptions options;
  options.link = link;
  options.method = spec.primitive == "vb" ? SiteMethod::kVb : SiteMethod::kEp;
  options.intercept = spec.intercept;
  ReadPrior(spec, {{"sd", &options.sd}, {"intercept_sd", &options.intercept_sd}});
  std::vector<std::string> features = spec.columns;
  if (features.empty()) throw std::invalid_argument("a regression needs a target column");
  features.pop_back();
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

void WriteModel(const TableSpec& s, const std::vector<NamedTensor>& tensors,
                const std::string& path) {
  const nlohmann::json spec = {
      {"columns", s.columns}, {"intercept", s.intercept},   {"prior", s.prior},
      {"origin", s.origin},   {"categories", s.categories}, {"rows", s.rows},
      {"scale", s.scale},     {"primitive", s.primitive},   {"diagonal", s.diagonal},
      {"sparse", s.sparse},   {"components", s.components}, {"seed", s.seed}};
  std::vector<TensorSpec> views;
  views.reserve(tensors.size());
  for (const NamedTensor& t : tensors) views.push_back({t.name, t.shape, t.doubles, t.integers});
  WriteModelFile(path,
                 {{"format_version", kFormatVersion},
                  {"program_version", SDA_VERSION},
                  {"model", s.model},
                  {"spec", spec.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)}},
                 views);
}

// Whether what is saved has to name them.
bool HasCategories(const TableSpec& spec) {
  const TableModel& model = FindEntry(spec.model).model;
  return model.kind == ColumnKind::kCategory || model.classifies;
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
  Keep(summary, source.categories());
  return summary;
}

Summary TableFit::Fit(SvmlightSource& source, const RunOptions& options, const Observer& observer,
                      Source<SparseRows>* stream) {
  const Summary summary = RunLoop(stream == nullptr ? source : *stream, options, observer);
  Keep(summary, {source.classes()});
  return summary;
}

void TableFit::Keep(const Summary& summary, const std::vector<Dictionary>& categories) {
  spec_.rows += summary.items;
  if (!HasCategories(spec_)) return;
  SetCategories(categories);
  spec_.categories.clear();
  for (const Dictionary& names : categories) spec_.categories.push_back(names.names());
}

std::vector<std::string> TableFit::Notes() const {
  if (!FindTableModel(spec_.model).classifies || spec_.categories.empty()) return {};
  std::vector<std::string> notes;
  const auto& classes = spec_.categories.back();
  const std::string positive = PositiveClass(classes);
  const std::string& target = spec_.columns.back();
  if (classes.size() == 1) {
    notes.push_back(
        fmt::format("probabilities are of {} = {}; only {} was seen, so how likely "
                    "the other class is rests on the prior",
                    target, positive, classes[0]));
  } else {
    notes.push_back(fmt::format("probabilities are of {} = {}, not {}", target, positive,
                                positive == classes[0] ? classes[1] : classes[0]));
  }
  if (spec_.diagonal) {
    notes.push_back("diagonal covariance: correlations of coefficients are left out");
  }
  const std::vector<std::string> undecided = Undecided();
  if (!undecided.empty()) {
    constexpr size_t kShown = 5;
    std::string list;
    for (size_t i = 0; i < std::min(kShown, undecided.size()); ++i) {
      list += (i > 0 ? ", " : "") + undecided[i];
    }
    if (undecided.size() > kShown) list += fmt::format(" and {} more", undecided.size() - kShown);
    notes.push_back("the prior decides much of " + list +
                    ": few rows, constant or collinear columns, or separable classes");
  }
  return notes;
}

void TableFit::Save(const std::string& path) const { WriteModel(spec_, Tensors(), path); }

void TableFit::SaveCopy(const PosteriorCopy& copy, TableSpec spec, const std::string& path) const {
  if (!HasCategories(spec)) spec.categories.clear();
  WriteModel(spec, TensorsOf(copy), path);
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
    spec.scale = json.value("scale", spec.scale);
    spec.primitive = json.value("primitive", spec.primitive);
    spec.diagonal = json.value("diagonal", spec.diagonal);
    spec.sparse = json.value("sparse", spec.sparse);
    spec.components = json.value("components", spec.components);
    spec.seed = json.value("seed", spec.seed);
    auto fit = Make(spec);
    std::vector<Dictionary> categories(spec.categories.size());
    for (size_t c = 0; c < categories.size(); ++c) {
      for (const std::string& name : spec.categories[c]) categories[c].NumberOf(name);
    }
    fit->SetCategories(categories);
    fit->SetTensors(file);
    fit->Describe();  // parameters that do not go with the rest are found here
    return fit;
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(path + ": is not a model on tables: " + e.what());
  } catch (const std::logic_error& e) {
    throw std::runtime_error(path + ": " + e.what());
  }
}

}  // namespace sda
