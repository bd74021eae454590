#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "sda/errors.h"
#include "sda/topics.h"
#include "topics/topic_options_json.h"

namespace sda {
namespace {

using nlohmann::json;

// What a model is made of, and so cannot change.
constexpr std::array kOfModel = {"topics",          "alpha",      "eta",       "vocab_from",
                                 "min_df",          "max_share",  "max_vocab", "stop_words",
                                 "min_word_length", "text_field", "strip",     "stemmer",
                                 "phrases"};
// What another run has for itself, and a model does not decide.
constexpr std::array kOfRun = {"format", "follow",    "minibatch",     "first_minibatch",
                               "vocab",  "intervals", "keep_documents"};

// One number for alpha stands for one each.
bool SameValue(const std::string& key, const json& ours, json given, int topics) {
  if (key == "alpha" && given.is_array() && given.size() == 1) {
    given = std::vector<double>(topics, given[0].get<double>());
  }
  return ours == given;
}

}  // namespace

TopicOptions ContinueOptions(const TopicModel& model, const std::string& given_text) {
  TopicOptions base = model.options;
  if (base.alpha.size() == 1) base.alpha.assign(base.topics, base.alpha[0]);
  json merged = TopicOptionsToJson(base);
  const json given = json::parse(given_text, nullptr, /*allow_exceptions=*/false);
  if (!given.is_object()) throw InputError("the options given are not a JSON object");
  if (given.contains("first_minibatch")) {
    throw UsageError(
        "--first-minibatch is given, but a run that continues from a model has no first minibatch");
  }
  for (const char* key : kOfModel) {
    const auto found = given.find(key);
    const auto& assumed = model.assumed_options;
    if (found == given.end() || std::find(assumed.begin(), assumed.end(), key) != assumed.end()) {
      continue;
    }
    if (!SameValue(key, merged.value(key, json()), *found, base.topics)) {
      throw UsageError(FlagOf(key) + " is " + found->dump() +
                       ", but the model to continue from has " + merged.value(key, json()).dump() +
                       ", which cannot change");
    }
  }
  for (const char* key : kOfRun) merged.erase(key);
  for (const auto& [key, value] : given.items()) merged[key] = value;
  // Another algorithm or primitive does not have the options of the model's.
  auto differs = [&](const char* key) {
    return given.contains(key) &&
           given.at(key) != json(TopicOptionsToJson(base)).value(key, json());
  };
  if (differs("algorithm") || differs("primitive")) {
    for (const char* key :
         {"sweeps", "precision", "ep_updates", "ep_matching", "ep_start", "ep_damping",
          "ep_tolerance", "ep_sweeps", "ep_memory", "passes", "total_documents", "tau0", "kappa"}) {
      if (!given.contains(key)) merged.erase(key);
    }
    if (differs("algorithm") && !given.contains("primitive")) merged.erase("primitive");
  }
  return TopicOptionsFromJson(merged);
}

}  // namespace sda
