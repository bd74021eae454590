#ifndef SDA_TOPICS_TOPIC_STABILITY_JSON_H_
#define SDA_TOPICS_TOPIC_STABILITY_JSON_H_

#include <nlohmann/json.hpp>

#include "sda/topic_stability.h"

namespace sda {

// As models and the report of a fit have it.
nlohmann::ordered_json StabilityToJson(const TopicStability& stability);
// Throws InputError.
TopicStability StabilityFromJson(const nlohmann::json& json);

}  // namespace sda

#endif  // SDA_TOPICS_TOPIC_STABILITY_JSON_H_
