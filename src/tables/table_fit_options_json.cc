// TableFitOptions as JSON.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/parse_json.h"
#include "base/strict_json.h"
#include "core/schedule_json.h"
#include "sda/errors.h"
#include "sda/forgetting.h"
#include "sda/tables.h"
#include "tables/option_json.h"
#include "tables/table_fit_options.h"

namespace sda {
namespace {

using nlohmann::json;

// Sets what has this key. False if there is nothing of that name.
bool TakeField(const std::string& key, const json& value, TableFitOptions* o) {
  if (key == "model") return ReadStrictly(value, &o->model), true;
  if (key == "inputs") return ReadStrictly(value, &o->inputs), true;
  if (key == "format") return ReadStrictly(value, &o->format), true;
  if (key == "delimiter") return ReadStrictly(value, &o->delimiter), true;
  if (key == "header") return o->header = value.get<bool>(), true;
  if (key == "missing") return ReadStrictly(value, &o->missing), true;
  if (key == "one_hot") return ReadStrictly(value, &o->one_hot), true;
  if (key == "levels") {
    return o->levels = value.get<std::map<std::string, std::vector<std::string>>>(), true;
  }
  if (key == "columns") return ReadStrictly(value, &o->columns), true;
  if (key == "target") return ReadStrictly(value, &o->target), true;
  if (key == "no_intercept") return o->intercept = !value.get<bool>(), true;
  if (key == "prior") return ReadStrictly(value, &o->prior), true;
  if (key == "schedule") return ReadStrictly(value, &o->schedule), true;
  if (key == "workers") return ReadStrictly(value, &o->workers), true;
  if (key == "worker_prior") return ReadStrictly(value, &o->worker_prior), true;
  if (key == "half_life") {
    if (value == "auto") return o->half_life = kAutoHalfLife, true;
    ReadStrictly(value, &o->half_life);
    if (o->half_life == kAutoHalfLife) throw InputError("-1 is not a number of rows");
    return true;
  }
  if (key == "minibatch") return ReadStrictly(value, &o->minibatch), true;
  if (key == "first_minibatch") return ReadStrictly(value, &o->first_minibatch), true;
  if (key == "follow") return ReadStrictly(value, &o->follow), true;
  if (key == "minibatch_seconds") return ReadStrictly(value, &o->minibatch_seconds), true;
  return false;
}

}  // namespace

json ToJsonObject(const TableFitOptions& o) {
  json object = {{"model", o.model},
                 {"inputs", o.inputs},
                 {"format", o.format},
                 {"schedule", o.schedule},
                 {"workers", o.workers},
                 {"worker_prior", o.worker_prior},
                 {"minibatch_seconds", o.minibatch_seconds}};
  if (o.delimiter != ",") object["delimiter"] = o.delimiter;
  if (o.header) object["header"] = *o.header;
  if (o.missing != "refuse") object["missing"] = o.missing;
  if (!o.one_hot.empty()) object["one_hot"] = o.one_hot;
  if (!o.levels.empty()) object["levels"] = o.levels;
  if (!o.columns.empty()) object["columns"] = o.columns;
  if (!o.target.empty()) object["target"] = o.target;
  if (!o.intercept) object["no_intercept"] = true;
  if (!o.prior.empty()) object["prior"] = o.prior;
  if (o.half_life == kAutoHalfLife) {
    object["half_life"] = "auto";
  } else if (o.half_life != 0) {
    object["half_life"] = o.half_life;
  }
  if (o.minibatch) object["minibatch"] = *o.minibatch;
  if (o.first_minibatch) object["first_minibatch"] = *o.first_minibatch;
  if (o.follow) object["follow"] = true;
  for (const auto& [name, value] : o.model_options) object[name] = OptionToJson(value);
  return object;
}

std::string TableFitOptions::ToJson() const try {
  return ToJsonObject(*this).dump();
} catch (const json::exception&) {
  throw UsageError("an option or the name of a file is not UTF-8, so that JSON cannot hold it");
}

TableFitOptions TableFitOptions::FromJson(const std::string& text, const TableModelList& models) {
  try {
    const json object = ParseJson(text);
    if (!object.is_object()) throw InputError("options are not a JSON object: " + text);
    TableFitOptions options;
    std::map<std::string, json> others;
    for (const auto& [key, value] : object.items()) {
      try {
        if (!TakeField(key, value, &options)) others[key] = value;
      } catch (const std::exception& e) {
        throw InputError(fmt::format("option {}: {}", key, e.what()));
      }
    }
    const TableModel& model = models.Find(options.model);
    for (const auto& [key, value] : others) {
      const ModelOption* option = model.FindOption(key);
      if (option == nullptr) {
        throw InputError(fmt::format("model {} has no option {}", model.name, key));
      }
      options.model_options[key] = OptionFromJson(key, value, option->usual);
    }
    return options;
  } catch (const UsageError& e) {
    throw InputError(e.what());  // a model that is unknown
  } catch (const json::exception& e) {
    throw InputError(std::string("these are not options of a model on tables: ") + e.what());
  }
}

}  // namespace sda
