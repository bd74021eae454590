#ifndef SDA_TABLES_TABLE_FIT_OF_H_
#define SDA_TABLES_TABLE_FIT_OF_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/tables/class_name.h"
#include "sda/classifier.h"
#include "sda/errors.h"
#include "tables/table_fit.h"
#include "tables/table_tensors.h"

namespace sda {

// A source of the same minibatches in another form.
template <class From, class To>
class MappedSource : public Source<To> {
 public:
  MappedSource(Source<From>* source, std::function<To(const From&)> map)
      : source_(source), map_(std::move(map)) {}
  std::optional<Minibatch<To>> Next() override {
    auto minibatch = source_->Next();
    if (!minibatch) return std::nullopt;
    return Minibatch<To>{minibatch->id, minibatch->counts, std::move(minibatch->position),
                         map_(minibatch->data)};
  }
  void Resume(const std::string& position, const std::vector<uint64_t>& cut) override {
    source_->Resume(position, cut);
  }

 private:
  Source<From>* source_;
  std::function<To(const From&)> map_;
};

Predictions ToPredictions(const std::string& mean, const std::vector<Estimate>& estimates);
// The component that a row belongs to most likely, and the probability of each.
Predictions ToPredictions(const Table& responsibilities);

// The columns but the target. Throws UsageError if there is none.
std::vector<std::string> FeaturesOf(const TableSpec& spec);

// A model with its posterior, behind the interface that the session knows.
template <class Model>
class TableFitOf : public TableFit {
 public:
  using Params = decltype(std::declval<const Model>().Prior());
  static constexpr bool kSparse = std::is_base_of_v<Primitive<SparseRows, Params>, Model>;

  TableFitOf(const TableMaking& making, Model model)
      : TableFit(making), model_(std::move(model)), store_(model_.Prior(), making.context) {}

  PosteriorCopy CopyOfPosterior() const override { return CopyPosterior(store_); }

  std::vector<Estimate> Describe() const override { return model_.Describe(store_.Read().params); }

  Predictions Predict(const Table& features) const override {
    const Params posterior = store_.Read().params;
    if constexpr (kSparse) {
      SparseRows rows = ToSparse(features, false);
      // A model of the intercept alone is given rows of nothing.
      if (spec().columns.size() == 1 && !spec().sparse) rows = {{std::vector<size_t>(rows.size())}};
      return Predict(rows);
    } else if constexpr (requires { model_.Responsibilities(posterior, features); }) {
      return ToPredictions(model_.Responsibilities(posterior, features));
    } else if constexpr (requires { model_.Predict(posterior, features); }) {
      return ToPredictions(TableFit::model().classifies ? "probability" : "mean",
                           model_.Predict(posterior, features));
    } else {
      throw UsageError("model " + spec().model + " has no target to predict");
    }
  }

  Predictions Predict(const SparseRows& features) const override {
    if constexpr (kSparse) {
      return ToPredictions("probability", model_.Predict(store_.Read().params, features));
    } else {
      return Predict(ToTable(features, spec().columns.size() - 1));
    }
  }

 protected:
  Summary RunLoop(Source<Table>& source, const RunOptions& options, const Observer& observer,
                  const Context& context) override {
    if constexpr (kSparse) {
      MappedSource<Table, SparseRows> sparse(
          &source, [](const Table& table) { return ToSparse(table, true); });
      return Run(sparse, model_, store_, options, observer, context);
    } else {
      return Run(source, model_, store_, options, observer, context);
    }
  }

  Summary RunLoop(Source<SparseRows>& source, const RunOptions& options, const Observer& observer,
                  const Context& context) override {
    if constexpr (kSparse) {
      return Run(source, model_, store_, options, observer, context);
    } else {
      MappedSource<SparseRows, Table> tables(
          &source, [this](const SparseRows& r) { return ToTable(r, spec().columns.size() - 1); });
      return Run(tables, model_, store_, options, observer, context);
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
    if constexpr (requires { model_.Undecided(store_.Read().params); }) {
      return model_.Undecided(store_.Read().params);
    } else {
      return {};
    }
  }

  uint64_t Unconverged() const override {
    if constexpr (requires { model_.unconverged(); }) {
      return model_.unconverged();
    } else {
      return 0;
    }
  }

  std::vector<NamedTensor> Tensors() const override { return ToTensors(store_.Read().params); }

  std::vector<NamedTensor> TensorsOf(const PosteriorCopy& copy) const override {
    return ToTensors(static_cast<const Snapshot<Params>*>(copy.snapshot.get())->params);
  }

  void SetTensors(const ModelFile& file) override {
    Snapshot<Params> posterior;
    FromTensors(file, store_.prior(), &posterior.params);
    store_.Restore(std::move(posterior));
  }

  void SetPosterior(const Checkpoint& checkpoint) override {
    auto posterior = checkpoint.Posterior<Params>();
    if (Shape(posterior.params) != Shape(store_.prior())) {
      throw InputError(checkpoint.path + ": does not have the parameters of this model");
    }
    store_.Restore(std::move(posterior));
  }

 private:
  Model model_;
  MemoryStore<Params> store_;
};

// For TableModel::make.
template <class Model>
std::unique_ptr<TableFit> MakeFit(const TableMaking& making, Model model) {
  return std::make_unique<TableFitOf<Model>>(making, std::move(model));
}

}  // namespace sda

#endif  // SDA_TABLES_TABLE_FIT_OF_H_
