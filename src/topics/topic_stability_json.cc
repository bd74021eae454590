#include "topics/topic_stability_json.h"

#include <string>

#include "base/strict_json.h"
#include "sda/errors.h"

namespace sda {

using nlohmann::json;

nlohmann::ordered_json StabilityToJson(const TopicStability& stability) {
  return {{"runs", stability.runs},
          {"found_again_from", kFoundAgain},
          {"found_by", stability.found_by},
          {"cosine", stability.cosine}};
}

TopicStability StabilityFromJson(const json& in) {
  TopicStability stability;
  try {
    ReadStrictly(in, "runs", &stability.runs);
    for (const json& value : in.at("found_by")) {
      ReadStrictly(value, &stability.found_by.emplace_back());
      if (stability.found_by.back() < 1 || stability.found_by.back() > stability.runs) {
        throw InputError("found_by is " + value.dump() + ", must be from 1 to the runs");
      }
    }
    for (const json& value : in.at("cosine")) {
      stability.cosine.push_back(value.get<double>());
      if (!(stability.cosine.back() >= 0 && stability.cosine.back() <= 1)) {
        throw InputError("cosine is " + value.dump() + ", must be from 0 to 1");
      }
    }
    if (stability.cosine.size() != stability.found_by.size()) {
      throw InputError("found_by and cosine are not of the same topics");
    }
  } catch (const std::exception& e) {
    throw InputError(std::string("stability: ") + e.what());
  }
  return stability;
}

}  // namespace sda
