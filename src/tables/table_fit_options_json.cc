// TableFitOptions as JSON.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/schedule_json.h"
#include "sda/errors.h"
#include "sda/tables.h"
#include "tables/option_json.h"
#include "tables/table_fit_options.h"

namespace sda {
namespace {

using nlohmann::json;

template <class T>
void Take(const json& value, T* field) {
  *field = value.get<T>();
}

template <class T>
void Take(const json& value, std::optional<T>* field) {
  *field = value.get<T>();
}

// Sets what has this key. False if there is nothing of that name.
bool TakeField(const std::string& key, const json& value, TableFitOptions* o) {
  if (key == "model") return Take(value, &o->model), true;
  if (key == "inputs") return Take(value, &o->inputs), true;
  if (key == "format") return Take(value, &o->format), true;
  if (key == "columns") return Take(value, &o->columns), true;
  if (key == "target") return Take(value, &o->target), true;
  if (key == "no_intercept") return o->intercept = !value.get<bool>(), true;
  if (key == "prior") return Take(value, &o->prior), true;
  if (key == "schedule") return Take(value, &o->schedule), true;
  if (key == "workers") return Take(value, &o->workers), true;
  if (key == "worker_prior") return Take(value, &o->worker_prior), true;
  if (key == "half_life") return Take(value, &o->half_life), true;
  if (key == "minibatch") return Take(value, &o->minibatch), true;
  if (key == "first_minibatch") return Take(value, &o->first_minibatch), true;
  if (key == "follow") return Take(value, &o->follow), true;
  if (key == "minibatch_seconds") return Take(value, &o->minibatch_seconds), true;
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
  if (!o.columns.empty()) object["columns"] = o.columns;
  if (!o.target.empty()) object["target"] = o.target;
  if (!o.intercept) object["no_intercept"] = true;
  if (!o.prior.empty()) object["prior"] = o.prior;
  if (o.half_life != 0) object["half_life"] = o.half_life;
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
    const json object = json::parse(text);
    if (!object.is_object()) throw InputError("options are not a JSON object: " + text);
    TableFitOptions options;
    std::map<std::string, json> others;
    for (const auto& [key, value] : object.items()) {
      if (!TakeField(key, value, &options)) others[key] = value;
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
