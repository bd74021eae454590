// Models on tables as files.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/model_file.h"
#include "sda/errors.h"
#include "tables/option_json.h"
#include "tables/table_fit.h"
#include "tables/table_tensors.h"

namespace sda {
namespace {

using nlohmann::json;

constexpr const char* kFormatVersion = "1";

// Files of version 1 have the options of these models for any model.
json SpecToJson(const TableSpec& s, const TableModel& model) {
  json spec = {{"columns", s.columns},
               {"intercept", s.intercept},
               {"prior", s.prior},
               {"origin", s.origin},
               {"categories", s.categories},
               {"rows", s.rows},
               {"scale", s.scale},
               {"primitive", ""},
               {"diagonal", s.diagonal},
               {"sparse", s.sparse},
               {"components", 2},
               {"seed", 1},
               {"unconverged_minibatches", s.unconverged_minibatches}};
  for (const ModelOption& option : model.options) {
    if (option.saved) spec[option.name] = OptionToJson(model.Option(s.options, option.name));
  }
  return spec;
}

TableSpec SpecFromJson(const json& spec, const TableModel& model) {
  TableSpec s;
  s.model = model.name;
  s.columns = spec.at("columns").get<std::vector<std::string>>();
  s.intercept = spec.at("intercept").get<bool>();
  s.prior = spec.at("prior").get<std::map<std::string, double>>();
  s.origin = spec.at("origin").get<std::vector<double>>();
  s.categories = spec.at("categories").get<std::vector<std::vector<std::string>>>();
  s.rows = spec.at("rows").get<uint64_t>();
  s.scale = spec.value("scale", s.scale);
  s.diagonal = spec.value("diagonal", s.diagonal);
  s.sparse = spec.value("sparse", s.sparse);
  s.unconverged_minibatches = spec.value("unconverged_minibatches", s.unconverged_minibatches);
  for (const ModelOption& option : model.options) {
    if (!option.saved || !spec.contains(option.name)) continue;
    s.options[option.name] = OptionFromJson(option.name, spec.at(option.name), option.usual);
  }
  return s;
}

std::vector<Dictionary> DictionariesOf(const std::vector<std::vector<std::string>>& categories) {
  std::vector<Dictionary> dictionaries(categories.size());
  for (size_t c = 0; c < categories.size(); ++c) {
    for (const std::string& name : categories[c]) dictionaries[c].NumberOf(name);
  }
  return dictionaries;
}

}  // namespace

void TableFit::Write(const TableSpec& spec, const std::vector<NamedTensor>& tensors,
                     const std::string& path) const {
  std::vector<TensorSpec> views;
  views.reserve(tensors.size());
  for (const NamedTensor& t : tensors) views.push_back({t.name, t.shape, t.doubles, t.integers});
  const json fields = SpecToJson(spec, model_);
  WriteModelFile(path,
                 {{"format_version", kFormatVersion},
                  {"program_version", SDA_VERSION},
                  {"model", spec.model},
                  {"spec", fields.dump(-1, ' ', false, json::error_handler_t::replace)}},
                 views);
}

void TableFit::Save(const std::string& path) const {
  TableSpec spec = spec_;
  spec.unconverged_minibatches = UnconvergedMinibatches();
  Write(spec, Tensors(), path);
}

void TableFit::SaveCopy(const PosteriorCopy& copy, TableSpec spec, const std::string& path) const {
  if (!HasCategories()) spec.categories.clear();
  Write(spec, TensorsOf(copy), path);
}

std::unique_ptr<TableFit> TableFit::Load(const std::string& path, const Context& context,
                                         const TableModelList& models) {
  const ModelFile file(path);
  if (file.metadata("model") == "lda") {
    throw InputError(path + ": is a topic model; look at it with: sda topics " + path);
  }
  if (file.metadata("format_version") != kFormatVersion) {
    throw InputError(fmt::format("{}: is of format version {}, this program reads {}", path,
                                 file.metadata("format_version"), kFormatVersion));
  }
  try {
    const TableModel& model = models.Find(file.metadata("model"));
    const TableSpec spec = SpecFromJson(json::parse(file.metadata("spec")), model);
    auto fit = Make(spec, context, models);
    fit->SetCategories(DictionariesOf(spec.categories));
    fit->SetTensors(file);
    fit->Describe();  // parameters that do not match the rest are found here
    return fit;
  } catch (const json::exception& e) {
    throw InputError(path + ": is not a model on tables: " + e.what());
  } catch (const std::logic_error& e) {
    throw InputError(path + ": " + e.what());
  }
}

}  // namespace sda
