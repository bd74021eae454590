#include "tables/table_rows.h"

#include <utility>

#include "sda/classifier.h"
#include "tables/classifier_choices.h"
#include "tables/column_scales.h"
#include "tables/table_fit_options.h"

namespace sda {
namespace {

using nlohmann::json;

template <class Data, class DataSource>
class RowsOf : public TableRows {
 public:
  template <class Options>
  RowsOf(const Options& options, const Context& context) : source_(options, context) {}

  DataSource& source() { return source_; }

  Summary Fit(TableFit* fit, const RunOptions& options, const Observer& observer,
              const Context& context, bool tracked) override {
    return fit->Fit(source_, options, observer, context, tracked ? &tracked_ : nullptr);
  }
  void Resume(const Progress& progress) override { tracked_.Resume(progress); }
  Progress At(const IdSet& folded) override { return tracked_.At(folded); }
  std::vector<std::vector<std::string>> CategoryNames() const override {
    return source_.CategoryNames();
  }

 private:
  DataSource source_;
  TrackedSource<Data> tracked_{&source_};
};

// Of the categories that were noted in a checkpoint.
std::vector<Dictionary> Dictionaries(const json& fixed) {
  std::vector<Dictionary> dictionaries;
  for (const auto& names : fixed.at("categories")) {
    Dictionary& dictionary = dictionaries.emplace_back();
    for (const auto& name : names) dictionary.NumberOf(name.get<std::string>());
  }
  return dictionaries;
}

// Of the first minibatch.
void SetScales(const TableModel& model, const Table& first, const Context& context,
               TableSpec* spec) {
  if (model.kind != ColumnKind::kNumber) return;
  const ColumnScales scales =
      model.classifies ? ScalesForClassifier(first, spec->columns, context) : ScalesOfAll(first);
  spec->origin = scales.origin;
  if (model.classifies || model.clusters) spec->scale = scales.scale;
}

OpenedRows OpenCsv(const TableFitOptions& options, const TableModel& model,
                   const RunCheckpoints& checkpoints, const Context& context) {
  TableSpec spec = SpecOf(options, model);
  TableOptions table = TableOptionsOf(options, model);
  const Checkpoint* last = checkpoints.last();
  if (last != nullptr) table.categories = Dictionaries(checkpoints.fixed());
  if (last != nullptr && options.follow) table.resume_from = last->progress.position;
  auto rows = std::make_unique<RowsOf<Table, TableSource>>(table, context);
  TableSource& source = rows->source();
  spec.columns = source.columns();
  if (last != nullptr) {
    const json& fixed = checkpoints.fixed();
    spec.diagonal = fixed.at("diagonal").get<bool>();
    spec.origin = fixed.at("origin").get<std::vector<double>>();
    spec.scale = fixed.at("scale").get<std::vector<double>>();
  } else {
    if (model.classifies) {
      spec.diagonal = IsDiagonal(options, model, spec.columns.size() - 1, context);
    }
    SetScales(model, source.Peek(), context, &spec);
  }
  if (model.classifies) {
    LimitForVb(spec, model, &source);
    NarrowPriorIfDiagonal(&spec);
  }
  return {std::move(rows), std::move(spec)};
}

OpenedRows OpenSvmlight(const TableFitOptions& options, const TableModel& model,
                        const RunCheckpoints& checkpoints, const Context& context) {
  TableSpec spec = SpecOf(options, model);
  spec.sparse = true;
  SvmlightOptions svmlight;
  svmlight.inputs = options.inputs;
  svmlight.features = std::get<uint64_t>(model.Option(options.model_options, "features"));
  svmlight.minibatch = RowsPerWorker(options);
  LimitForVb(spec, model, &svmlight);
  if (checkpoints.last() != nullptr) {
    const json& fixed = checkpoints.fixed();
    svmlight.classes = Dictionaries(fixed).at(0);
    spec.diagonal = fixed.at("diagonal").get<bool>();
    if (!spec.diagonal) svmlight.features = fixed.at("columns").get<uint64_t>() - 1;
  } else if (!spec.diagonal) {
    if (svmlight.features == 0) svmlight.features = CountFeatures(svmlight, context);
    spec.diagonal = IsDiagonal(options, model, svmlight.features, context);
  }
  for (uint64_t f = 1; !spec.diagonal && f <= svmlight.features; ++f) {
    spec.columns.push_back(std::to_string(f));
  }
  spec.columns.emplace_back("label");
  return {std::make_unique<RowsOf<SparseRows, SvmlightSource>>(svmlight, context), std::move(spec)};
}

}  // namespace

OpenedRows OpenRows(const TableFitOptions& options, const TableModel& model,
                    const RunCheckpoints& checkpoints, const Context& context) {
  OpenedRows opened = IsSvmlight(options, model)
                          ? OpenSvmlight(options, model, checkpoints, context)
                          : OpenCsv(options, model, checkpoints, context);
  if (checkpoints.last() != nullptr) opened.rows->Resume(checkpoints.last()->progress);
  return opened;
}

json FixedOf(const TableSpec& spec, const TableRows& rows) {
  return {{"origin", spec.origin},
          {"scale", spec.scale},
          {"columns", spec.columns.size()},
          {"diagonal", spec.diagonal},
          {"categories", rows.CategoryNames()}};
}

}  // namespace sda
