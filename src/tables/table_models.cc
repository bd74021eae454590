// The models on tables by name.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "sda/errors.h"
#include "tables/table_model.h"

// A new model is one more line here, and a file in tables/models that defines the function.
#define SDA_TABLE_MODELS(MODEL) \
  MODEL(CoinModel)              \
  MODEL(CategoricalModel)       \
  MODEL(NormalModel)            \
  MODEL(PoissonModel)           \
  MODEL(LinearModel)            \
  MODEL(ProbitModel)            \
  MODEL(LogisticModel)          \
  MODEL(MixtureModel)

namespace sda {

#define SDA_DECLARE(model) TableModel model();
#define SDA_ADD(model) list.Add(model());
SDA_TABLE_MODELS(SDA_DECLARE)

const TableModelList& BuiltInTableModels() {
  static const TableModelList models = [] {
    TableModelList list;
    SDA_TABLE_MODELS(SDA_ADD)
    return list;
  }();
  return models;
}

namespace {

// The keys of TableFitOptions and of saved models that are not options of single models.
constexpr std::array kTaken = {
    "model",        "inputs",     "format",       "columns",
    "target",       "intercept",  "no_intercept", "prior",
    "schedule",     "workers",    "minibatch",    "first_minibatch",
    "worker_prior", "half_life",  "follow",       "origin",
    "scale",        "categories", "rows",         "minibatch_seconds",
    "diagonal",     "sparse",     "output",       "unconverged_minibatches",
    "delimiter",    "header",     "missing",      "one_hot",
    "levels",       "reading"};

}  // namespace

void TableModelList::Add(TableModel model) {
  for (const TableModel& other : models_) {
    if (other.name == model.name) throw std::logic_error("two models are called " + model.name);
    for (const ModelOption& option : model.options) {
      const ModelOption* same = other.FindOption(option.name);
      if (same != nullptr && same->usual.index() != option.usual.index()) {
        throw std::logic_error(fmt::format("option {} of models {} and {} is of different types",
                                           option.name, other.name, model.name));
      }
    }
  }
  for (const ModelOption& option : model.options) {
    if (std::find(kTaken.begin(), kTaken.end(), option.name) != kTaken.end()) {
      throw std::logic_error(
          fmt::format("option {} of model {} is an option of all models", option.name, model.name));
    }
  }
  models_.push_back(std::move(model));
}

const TableModel& TableModelList::Find(const std::string& name) const {
  std::string names;
  for (const TableModel& model : models_) {
    if (name == model.name) return model;
    names += ", " + model.name;
  }
  throw UsageError(fmt::format("no model \"{}\"; the models are lda{}", name, names));
}

const std::vector<TableModel>& TableModels() { return BuiltInTableModels().all(); }

const TableModel& FindTableModel(const std::string& name) {
  return BuiltInTableModels().Find(name);
}

const ModelOption* TableModel::FindOption(const std::string& option) const {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const ModelOption& o) { return o.name == option; });
  return found == options.end() ? nullptr : &*found;
}

const OptionValue& TableModel::Option(const std::map<std::string, OptionValue>& given,
                                      const std::string& option) const {
  const auto found = given.find(option);
  if (found != given.end()) return found->second;
  const ModelOption* declared = FindOption(option);
  if (declared == nullptr) throw std::logic_error("model " + name + " has no option " + option);
  return declared->usual;
}

std::string TableModel::PriorText() const {
  std::string text;
  for (const PriorNumber& number : prior) {
    text += fmt::format("{}{}={:g}", text.empty() ? "" : ", ", number.name, number.usual);
  }
  return text;
}

double TableMaking::Prior(const std::string& name) const {
  const auto given = spec.prior.find(name);
  if (given != spec.prior.end()) return given->second;
  for (const PriorNumber& number : model.prior) {
    if (number.name == name) return number.usual;
  }
  throw std::logic_error("the prior of model " + model.name + " has no " + name);
}

uint64_t TableMaking::Whole(const std::string& option) const {
  return std::get<uint64_t>(model.Option(spec.options, option));
}

const std::string& TableMaking::Text(const std::string& option) const {
  return std::get<std::string>(model.Option(spec.options, option));
}

std::string ToText(const OptionValue& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

std::string OptionFlag(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

std::string ListOfChoices(const std::vector<std::string>& choices) {
  std::string list;
  for (size_t i = 0; i < choices.size(); ++i) {
    list += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i];
  }
  return list;
}

}  // namespace sda
