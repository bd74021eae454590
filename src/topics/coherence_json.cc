#include "topics/coherence_json.h"

#include <cmath>
#include <limits>
#include <string>

#include "base/strict_json.h"
#include "sda/errors.h"

namespace sda {

using nlohmann::json;

nlohmann::ordered_json CoherenceToJson(const TopicCoherence& coherence) {
  nlohmann::ordered_json npmi = nlohmann::ordered_json::array();
  for (const double value : coherence.npmi) {
    npmi.push_back(std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value));
  }
  return {{"words", coherence.words},
          {"sampled_documents", coherence.documents},
          {"all_sampled", coherence.all_sampled},
          {"npmi", npmi}};
}

TopicCoherence CoherenceFromJson(const json& in) {
  TopicCoherence coherence;
  try {
    ReadStrictly(in, "words", &coherence.words);
    ReadStrictly(in, "sampled_documents", &coherence.documents);
    ReadStrictly(in, "all_sampled", &coherence.all_sampled);
    for (const json& value : in.at("npmi")) {
      coherence.npmi.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                               : value.get<double>());
      if (!(std::abs(coherence.npmi.back()) <= 1.001) && !value.is_null()) {
        throw InputError("npmi is " + value.dump() + ", must be from -1 to 1");
      }
    }
  } catch (const std::exception& e) {
    throw InputError(std::string("coherence: ") + e.what());
  }
  return coherence;
}

}  // namespace sda
