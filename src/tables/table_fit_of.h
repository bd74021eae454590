#ifndef SDA_TABLES_TABLE_FIT_OF_H_
#define SDA_TABLES_TABLE_FIT_OF_H_

#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/tables/class_name.h"
#include "models/faults.h"
#include "sda/classifier.h"
#include "sda/errors.h"
#include "tables/mapped_source.h"
#include "tables/some_rows.h"
#include "tables/table_fit.h"
#include "tables/table_tensors.h"

namespace sda {

// The same, if they can be shown: no NaN, and an interval unless the quantity is infinite. Throws
// std::domain_error naming the first that cannot.
std::vector<Estimate> Shown(std::vector<Estimate> estimates);

// Throw std::domain_error naming the first row (from 1) whose prediction is not finite.
Predictions ToPredictions(const std::string& mean, std::vector<Estimate> estimates);
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
  using RowsOfModel = std::conditional_t<kSparse, SparseRows, Table>;

  TableFitOf(const TableMaking& making, Model model)
      : TableFit(making),
        model_(std::move(model)),
        store_(std::make_unique<MemoryStore<Params>>(model_.Prior(), making.context)) {}

  PosteriorCopy CopyOfPosterior() const override {
    const PosteriorCopy copy = CopyPosterior(*store_);
    return CheckedWhenWritten(
        copy, [model = CopyOfModel(), copy] { return model.FaultIn(ParamsOf(copy)); });
  }

  void LearnForgetting(const ForgettingRates& rates, const Context& context) override {
    if constexpr (!requires(const Params& p, const RowsOfModel& r) {
                    model_.LogPredictive(p, r);
                  }) {
      throw UsageError("--half-life auto is not for --model " + spec().model +
                       ", which gives no probability to rows");
    }
    Snapshot<Params> so_far = store_->Release();
    auto learning = std::make_unique<ForgettingStore<Params>>(store_->prior(), rates, context);
    if (so_far.folded.size() > 0 || spec().rows > 0) {
      so_far.counts.items = spec().rows;
      learning->Restore(std::move(so_far));
    }
    forgetting_ = learning.get();
    store_ = std::move(learning);
  }

  std::vector<Estimate> Describe() const override {
    return Shown(model_.Describe(store_->Read().params));
  }

  Predictions Predict(const Table& features) const override {
    const Params posterior = store_->Read().params;
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

  std::vector<double> LogPredictive(const Table& rows) const override {
    const Params posterior = store_->Read().params;
    if constexpr (kSparse) {
      return LogPredictive(ToSparse(rows, true));
    } else if constexpr (requires { model_.LogPredictive(posterior, rows); }) {
      return model_.LogPredictive(posterior, rows);
    } else {
      throw UsageError("model " + spec().model + " gives no probability to whole rows");
    }
  }

  std::vector<double> LogPredictive(const SparseRows& rows) const override {
    if constexpr (kSparse) {
      return model_.LogPredictive(store_->Read().params, rows);
    } else {
      return LogPredictive(ToTable(rows, spec().columns.size() - 1));
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
  Summary RunLoop(Source<Table>& source, const RunOptions& options, const Observer& observer,
                  const Context& context) override {
    if constexpr (kSparse) {
      MappedSource<Table, SparseRows> sparse(
          &source, [](const Table& table) { return ToSparse(table, true); });
      return Run(sparse, model_, *store_, Forgetting(options), observer, context, {},
                 Weighs<SparseRows>());
    } else {
      return Run(source, model_, *store_, Forgetting(options), observer, context, {},
                 Weighs<Table>());
    }
  }

  Summary RunLoop(Source<SparseRows>& source, const RunOptions& options, const Observer& observer,
                  const Context& context) override {
    if constexpr (kSparse) {
      return Run(source, model_, *store_, Forgetting(options), observer, context, {},
                 Weighs<SparseRows>());
    } else {
      MappedSource<SparseRows, Table> tables(
          &source, [this](const SparseRows& r) { return ToTable(r, spec().columns.size() - 1); });
      return Run(tables, model_, *store_, Forgetting(options), observer, context, {},
                 Weighs<Table>());
    }
  }

  void SetCategories(const std::vector<Dictionary>& categories) override {
    std::lock_guard lock(mutex_);
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

  uint64_t Unconverged() const override {
    if constexpr (requires { model_.unconverged(); }) {
      return model_.unconverged();
    } else {
      return 0;
    }
  }

  std::vector<NamedTensor> Tensors() const override { return TensorsOf(store_->Read().params); }

  std::vector<NamedTensor> TensorsOf(const PosteriorCopy& copy) const override {
    return TensorsOf(ParamsOf(copy));
  }

  void SetTensors(const ModelFile& file) override {
    Snapshot<Params> posterior;
    FromTensors(file, store_->prior(), &posterior.params, SizeBefore());
    CheckLoaded(posterior.params, file.path());
    store_->Restore(std::move(posterior));
  }

  void SetPosterior(const Checkpoint& checkpoint) override {
    auto posterior = checkpoint.Posterior<Params>();
    FillUp(store_->prior(), SizeBefore(), &posterior.params);
    if (posterior.forgetting) CheckSums(*posterior.forgetting, checkpoint.path);
    if (Shape(posterior.params) != Shape(store_->prior())) {
      throw InputError(checkpoint.path + ": does not have the parameters of this model");
    }
    CheckLoaded(posterior.params, checkpoint.path);
    store_->Restore(std::move(posterior));
  }

  std::optional<ForgettingRates> Rates() const override {
    return forgetting_ == nullptr ? std::nullopt : std::optional(forgetting_->rates());
  }

 private:
  RunOptions Forgetting(RunOptions options) const {
    if (forgetting_ != nullptr) options.discount = forgetting_->discount();
    return options;
  }

  // The evidence for each rate of forgetting: how it predicts some of the rows of a minibatch.
  template <class Rows>
  Weigher<Rows> Weighs() const {
    if (forgetting_ == nullptr) return {};
    return [this](const Minibatch<Rows>& minibatch) { return EvidenceIn(minibatch.data); };
  }

  template <class Rows>
  std::vector<double> EvidenceIn(const Rows& all) const {
    const Rows rows = SomeOf(all);
    const auto now = forgetting_->ReadRates({});
    if (!now.learnt) return {};
    std::vector<std::vector<double>> scores;
    if constexpr (requires { model_.LogPredictive(now.posterior, rows); }) {
      try {
        for (const Params& params : now.by_rate) {
          scores.push_back(model_.LogPredictive(params, rows));
        }
      } catch (const std::domain_error&) {
        return {};  // too few rows yet for a prediction
      }
    }
    return EvidenceOf(scores);
  }

  static const Params& ParamsOf(const PosteriorCopy& copy) {
    return static_cast<const Snapshot<Params>*>(copy.snapshot.get())->params;
  }

  // Of the parameters in a file of an earlier version.
  size_t SizeBefore() const {
    if constexpr (requires { model_.SizeBefore(); }) {
      return model_.SizeBefore();
    } else {
      return 0;
    }
  }

  std::vector<NamedTensor> TensorsOf(const Params& params) const {
    if (const auto fault = model_.FaultIn(params)) throw std::domain_error(NotSavedText(*fault));
    return ToTensors(CutBack(store_->prior(), SizeBefore(), params));
  }

  void CheckLoaded(const Params& params, const std::string& path) const {
    if (const auto fault = model_.FaultIn(params)) {
      throw InputError(path + ": holds no valid posterior: " + *fault);
    }
  }

  void CheckSums(const RateSums<Params>& learnt, const std::string& path) const {
    for (const Params& sum : learnt.sums) {
      if (Shape(sum) != Shape(store_->prior())) {
        throw InputError(path + ": does not have the parameters of this model");
      }
      CheckLoaded(sum, path);
    }
  }

  // For the thread that saves, while new categories may come.
  Model CopyOfModel() const {
    std::lock_guard lock(mutex_);
    return model_;
  }

  mutable std::mutex mutex_;  // of the model's categories
  Model model_;
  std::unique_ptr<Store<Params>> store_;
  ForgettingStore<Params>* forgetting_ = nullptr;  // the same, if that is learnt
};

// For TableModel::make.
template <class Model>
std::unique_ptr<TableFit> MakeFit(const TableMaking& making, Model model) {
  return std::make_unique<TableFitOf<Model>>(making, std::move(model));
}

}  // namespace sda

#endif  // SDA_TABLES_TABLE_FIT_OF_H_
