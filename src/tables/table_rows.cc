#include "tables/table_rows.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "base/text.h"
#include "data/tables/class_name.h"
#include "sda/classifier.h"
#include "sda/errors.h"
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
  void LogNotes(const TableSpec& spec, const Context& context) const override {
    if constexpr (std::is_same_v<DataSource, TableSource>) LogRowNotes(source_, spec, context);
  }

 private:
  DataSource source_;
  TrackedSource<Data> tracked_{&source_};
};

// Of the categories that were noted in a checkpoint.
std::vector<Dictionary> Dictionaries(const Checkpoint& checkpoint, const json& fixed,
                                     const TableModel& model) {
  std::vector<Dictionary> dictionaries;
  for (const auto& names : fixed.at("categories").get<std::vector<std::vector<std::string>>>()) {
    Dictionary& dictionary = dictionaries.emplace_back();
    for (const auto& name : names) dictionary.NumberOf(name);
  }
  if (model.classifies) {
    const std::vector<std::string> none;
    const auto& classes = dictionaries.empty() ? none : dictionaries.back().names();
    if (const auto fault = FaultInClasses(classes)) {
      throw InputError(checkpoint.path + ": cannot be resumed from: " + *fault);
    }
  }
  return dictionaries;
}

// As they were learnt when the run began.
void SetLevels(const json& fixed, std::vector<OneHotColumn>* columns) {
  for (OneHotColumn& column : *columns) {
    column.levels = fixed.at(column.column).get<std::vector<std::string>>();
  }
}

OpenedRows OpenCsv(const TableFitOptions& options, const TableModel& model,
                   RunCheckpoints* checkpoints, const Context& context) {
  TableSpec spec = SpecOf(options, model);
  TableOptions table = TableOptionsOf(options, model);
  const Checkpoint* last = checkpoints->last();
  if (last != nullptr) table.categories = Dictionaries(*last, checkpoints->fixed(), model);
  if (options.follow) {
    table.resume_from = last != nullptr ? last->progress.position : checkpoints->start();
    if (checkpoints->on()) {
      table.on_start = [checkpoints](const std::string& start) { checkpoints->KeepStart(start); };
    }
  }
  if (last != nullptr && checkpoints->fixed().contains("one_hot")) {
    SetLevels(checkpoints->fixed().at("one_hot"), &table.one_hot);
  }
  auto rows = std::make_unique<RowsOf<Table, TableSource>>(table, context);
  TableSource& source = rows->source();
  if (last == nullptr && !table.one_hot.empty()) source.Peek();  // the levels are in it
  spec.columns = source.columns();
  if (!table.one_hot.empty()) {
    spec.reading.one_hot = source.one_hot();
    spec.reading.columns = source.columns_read();
  }
  if (last != nullptr) {
    const json& fixed = checkpoints->fixed();
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
  if (last == nullptr &&
      !table.resume_from
           .empty()) {  // a checkpoint before the first minibatch is folded has this position
    Progress start;
    start.position = table.resume_from;
    rows->Resume(start);
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
    svmlight.classes = Dictionaries(*checkpoints.last(), fixed, model).at(0);
    spec.diagonal = fixed.at("diagonal").get<bool>();
    if (!spec.diagonal) svmlight.features = fixed.at("columns").get<uint64_t>() - 1;
  } else if (!spec.diagonal) {
    if (svmlight.features == 0) svmlight.features = CountFeatures(svmlight, context);
    spec.diagonal = IsDiagonal(options, model, svmlight.features, context);
  }
  svmlight.Validate();
  if (!spec.diagonal) ExpectMemoryForDense(svmlight.features);
  for (uint64_t f = 1; !spec.diagonal && f <= svmlight.features; ++f) {
    spec.columns.push_back(std::to_string(f));
  }
  spec.columns.emplace_back("label");
  return {std::make_unique<RowsOf<SparseRows, SvmlightSource>>(svmlight, context), std::move(spec)};
}

}  // namespace

void SetScales(const TableModel& model, const Table& first, const Context& context,
               TableSpec* spec) {
  if (model.kind != ColumnKind::kNumber) return;
  const ColumnScales scales = model.classifies ? ScalesForClassifier(first, spec->columns, context)
                                               : ScalesOfAll(first, context);
  spec->origin = scales.origin;
  if (model.classifies || model.clusters) spec->scale = scales.scale;
}

void LogRowNotes(const TableSource& source, const TableSpec& spec, const Context& context) {
  if (const RowNotes& skipped = source.skipped(); skipped.rows > 0) {
    context.Log(fmt::format("{} with a missing value left out: {}",
                            Plural(skipped.rows, "row", "rows"), skipped.Examples()));
  }
  if (const RowNotes& unknown = source.unknown_levels(); unknown.rows > 0) {
    std::string references;
    for (const OneHotColumn& text : spec.reading.one_hot) {
      references += (references.empty() ? "" : ", ") + text.column + "=" + text.levels[0];
    }
    context.Log(
        fmt::format("{} not known from the first minibatch or --levels, taken for the "
                    "reference ({}): {}",
                    Plural(unknown.rows, "level", "levels"), references, unknown.Examples()));
  }
}

OpenedRows OpenRows(const TableFitOptions& options, const TableModel& model,
                    RunCheckpoints* checkpoints, const Context& context) try {
  OpenedRows opened = IsSvmlight(options, model)
                          ? OpenSvmlight(options, model, *checkpoints, context)
                          : OpenCsv(options, model, checkpoints, context);
  if (checkpoints->last() != nullptr) opened.rows->Resume(checkpoints->last()->progress);
  return opened;
} catch (const json::exception& e) {  // the checkpoint's: nothing else here is JSON
  throw InputError(checkpoints->last()->path + ": cannot be resumed from: " + e.what());
}

json FixedOf(const TableSpec& spec, const TableRows& rows) {
  json fixed = {{"origin", spec.origin},
                {"scale", spec.scale},
                {"columns", spec.columns.size()},
                {"diagonal", spec.diagonal},
                {"categories", rows.CategoryNames()}};
  for (const OneHotColumn& text : spec.reading.one_hot) fixed["one_hot"][text.column] = text.levels;
  return fixed;
}

}  // namespace sda
