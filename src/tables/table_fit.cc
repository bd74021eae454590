#include "tables/table_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "base/model_file.h"
#include "data/tables/class_name.h"
#include "tables/table_fit_of.h"
#include "tables/table_tensors.h"

namespace sda {
namespace {

constexpr const char* kFormatVersion = "1";

void WriteModel(const TableSpec& s, const std::vector<NamedTensor>& tensors,
                const std::string& path) {
  const nlohmann::json spec = {{"columns", s.columns},
                               {"intercept", s.intercept},
                               {"prior", s.prior},
                               {"origin", s.origin},
                               {"categories", s.categories},
                               {"rows", s.rows},
                               {"scale", s.scale},
                               {"primitive", s.primitive},
                               {"diagonal", s.diagonal},
                               {"sparse", s.sparse},
                               {"components", s.components},
                               {"seed", s.seed},
                               {"unconverged_minibatches", s.unconverged_minibatches}};
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
  const TableModel& model = FindTableModel(spec.model);
  return model.kind == ColumnKind::kCategory || model.classifies;
}

}  // namespace

Predictions ToPredictions(const std::string& mean, const std::vector<Estimate>& estimates) {
  Predictions predictions{{mean, "sd", "lower", "upper"}, {}};
  for (const Estimate& e : estimates) {
    predictions.rows.push_back({e.mean, e.sd, e.lower, e.upper});
  }
  return predictions;
}

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
    notes.push_back(
        fmt::format("diagonal covariance: correlations of coefficients are left out, so the "
                    "intervals are too narrow where features go together{}",
                    spec_.sparse ? ", or where their means are not 0" : ""));
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
  if (const uint64_t count = UnconvergedMinibatches(); count > 0) {
    notes.push_back(
        fmt::format("{} minibatch{} did not converge: the numbers may be far off; outliers and "
                    "strong effects do that{}",
                    count, count == 1 ? "" : "es",
                    spec_.primitive == "vb" ? ", less so with --primitive ep" : ""));
  }
  return notes;
}

void TableFit::Save(const std::string& path) const {
  TableSpec spec = spec_;
  spec.unconverged_minibatches = UnconvergedMinibatches();
  WriteModel(spec, Tensors(), path);
}

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
    spec.unconverged_minibatches =
        json.value("unconverged_minibatches", spec.unconverged_minibatches);
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
