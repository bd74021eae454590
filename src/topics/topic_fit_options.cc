#include <nlohmann/json.hpp>

#include "base/parse_json.h"
#include "sda/errors.h"
#include "sda/topic_fit.h"
#include "topics/topic_options_json.h"

namespace sda {

using nlohmann::json;

void TopicFitOptions::Validate() const {
  if (inputs.empty()) throw UsageError("INPUT is missing, must name at least one file");
  if (topics.follow && !holdout.empty()) {
    throw UsageError("--holdout does not go with --follow: score the saved model, with sda eval");
  }
  if (!events.empty() && topics.algorithm != "sda") {
    throw UsageError("--events does not go with --algorithm " + topics.algorithm +
                     ", which is for comparison, expected sda");
  }
  if (from.empty()) topics.Validate();
}

json TopicFitOptionsToJson(const TopicFitOptions& options) {
  json out = TopicOptionsToJson(options.topics);
  out["inputs"] = options.inputs;
  if (!options.from.empty()) out["from"] = options.from;
  if (!options.holdout.empty()) out["holdout"] = options.holdout;
  out["split"] = options.split == SplitRule::kAlternate ? "alternate" : "half-types";
  return out;
}

std::string TopicFitOptions::ToJson() const {
  return TopicFitOptionsToJson(*this).dump(-1, ' ', false, json::error_handler_t::replace);
}

TopicFitOptions TopicFitOptions::FromJson(const std::string& text) {
  TopicFitOptions options;
  try {
    json in = ParseJson(text);
    options.inputs = in.at("inputs").get<std::vector<std::string>>();
    options.from = in.value("from", "");
    options.holdout = in.value("holdout", "");
    options.split = in.at("split") == "alternate" ? SplitRule::kAlternate : SplitRule::kHalfTypes;
    for (const char* key : {"inputs", "from", "holdout", "split"}) in.erase(key);
    options.topics = TopicOptionsFromJson(in);
  } catch (const json::exception& e) {
    throw InputError(std::string("the options of the run cannot be read: ") + e.what());
  }
  return options;
}

}  // namespace sda
