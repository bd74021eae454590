// Models on tables as files.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/model_file.h"
#include "base/parse_json.h"
#include "base/strict_json.h"
#include "base/text.h"
#include "data/tables/class_name.h"
#include "sda/errors.h"
#include "tables/option_json.h"
#include "tables/table_fit.h"
#include "tables/table_tensors.h"

namespace sda {
namespace {

using nlohmann::json;

constexpr const char* kFormatVersion = "1";

json ReadingToJson(const TableReading& r) {
  json one_hot = json::array();
  for (const OneHotColumn& text : r.one_hot) {
    one_hot.push_back(
        {{"column", text.column}, {"levels", text.levels}, {"all_levels", text.all_levels}});
  }
  json reading = {{"delimiter", std::string(1, r.delimiter)},
                  {"skip_missing", r.skip_missing},
                  {"one_hot", one_hot},
                  {"columns", r.columns}};
  if (r.header) reading["header"] = *r.header;
  return reading;
}

// Throws InputError if it could not have been written by ReadingToJson().
TableReading ReadingFromJson(const json& reading) {
  TableReading r;
  std::string delimiter;
  ReadStrictly(reading, "delimiter", &delimiter);
  if (delimiter.size() != 1) throw InputError("its delimiter is not one character");
  r.delimiter = delimiter[0];
  ReadStrictly(reading, "skip_missing", &r.skip_missing);
  ReadStrictly(reading, "columns", &r.columns);
  if (reading.contains("header")) r.header = reading.at("header").get<bool>();
  for (const json& text : reading.at("one_hot")) {
    OneHotColumn& column = r.one_hot.emplace_back();
    ReadStrictly(text, "column", &column.column);
    ReadStrictly(text, "levels", &column.levels);
    ReadStrictly(text, "all_levels", &column.all_levels);
    if (column.levels.empty())
      throw InputError("column " + Quoted(column.column) + " has no levels");
  }
  return r;
}

// What its columns are by how they are read must be what they are.
void CheckReading(const TableSpec& s) {
  if (s.reading.one_hot.empty()) return;
  std::vector<std::string> columns;
  for (const std::string& name : s.reading.columns) {
    const auto& texts = s.reading.one_hot;
    const auto text = std::find_if(texts.begin(), texts.end(),
                                   [&](const OneHotColumn& t) { return t.column == name; });
    const auto names = text == texts.end() ? std::vector<std::string>{name} : text->Names();
    columns.insert(columns.end(), names.begin(), names.end());
  }
  if (columns != s.columns) throw InputError("its columns are not those of its levels");
}

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
  if (s.reading != TableReading()) spec["reading"] = ReadingToJson(s.reading);
  for (const ModelOption& option : model.options) {
    if (option.saved) spec[option.name] = OptionToJson(model.Option(s.options, option.name));
  }
  return spec;
}

TableSpec SpecFromJson(const json& spec, const TableModel& model) {
  TableSpec s;
  s.model = model.name;
  ReadStrictly(spec, "columns", &s.columns);
  ReadStrictly(spec, "intercept", &s.intercept);
  ReadStrictly(spec, "prior", &s.prior);
  ReadStrictly(spec, "origin", &s.origin);
  ReadStrictly(spec, "categories", &s.categories);
  if (model.classifies && !s.categories.empty()) {  // the first files did not have them
    if (const auto fault = FaultInClasses(s.categories.back())) throw InputError(*fault);
  }
  ReadStrictly(spec, "rows", &s.rows);
  auto read_later = [&](const char* key, auto* field) {  // what the first files did not have
    if (spec.contains(key)) ReadStrictly(spec, key, field);
  };
  read_later("scale", &s.scale);
  read_later("diagonal", &s.diagonal);
  read_later("sparse", &s.sparse);
  read_later("unconverged_minibatches", &s.unconverged_minibatches);
  if (spec.contains("reading")) s.reading = ReadingFromJson(spec.at("reading"));
  CheckReading(s);
  for (const ModelOption& option : model.options) {
    if (!option.saved || !spec.contains(option.name)) continue;
    s.options[option.name] = OptionFromJson(option.name, spec.at(option.name), option.usual);
  }
  return s;
}

TableSpec ReadSpec(const ModelFile& file, const TableModelList& models) {
  const std::string& model = file.metadata("model");
  const std::string& spec = file.metadata("spec");
  try {
    return SpecFromJson(ParseJson(spec), models.Find(model));
  } catch (const json::exception& e) {
    throw InputError(file.path() + ": is not a model on tables: " + e.what());
  } catch (const InputError& e) {
    throw InputError(file.path() + ": is not a model on tables: " + e.what());
  } catch (const UsageError& e) {  // no such model
    throw InputError(file.path() + ": " + e.what());
  }
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

void TableFit::Save(const std::string& path) const try {
  TableSpec spec = spec_;
  spec.unconverged_minibatches = UnconvergedMinibatches();
  Write(spec, Tensors(), path);
} catch (const std::domain_error& e) {
  throw InputError(path + ": " + e.what());
}

void TableFit::SaveCopy(const PosteriorCopy& copy, TableSpec spec, const std::string& path) const
    try {
  if (!HasCategories()) spec.categories.clear();
  Write(spec, TensorsOf(copy), path);
} catch (const std::domain_error& e) {
  throw InputError(path + ": " + e.what());
}

std::unique_ptr<TableFit> TableFit::Load(const std::string& path, const Context& context,
                                         const TableModelList& models) {
  const ModelFile file(path);
  if (file.metadata("model") == "lda") {
    throw InputError(path + ": is a topic model; look at it with: sda topics " + ShellFile(path));
  }
  if (file.metadata("format_version") != kFormatVersion) {
    throw InputError(fmt::format("{}: is of format version {}, this program reads {}", path,
                                 file.metadata("format_version"), kFormatVersion));
  }
  const TableSpec spec = ReadSpec(file, models);
  try {
    auto fit = Make(spec, context, models);
    fit->SetCategories(DictionariesOf(spec.categories));
    fit->SetTensors(file);
    fit->Describe();  // parameters that do not match the rest are found here
    return fit;
  } catch (const std::logic_error& e) {
    throw InputError(path + ": " + e.what());
  }
}

}  // namespace sda
