#ifndef SDA_TOPICS_COHERENCE_JSON_H_
#define SDA_TOPICS_COHERENCE_JSON_H_

#include <nlohmann/json.hpp>

#include "sda/coherence.h"

namespace sda {

// As models and reports have it: null stands for NaN.
nlohmann::ordered_json CoherenceToJson(const TopicCoherence& coherence);
// Throws InputError.
TopicCoherence CoherenceFromJson(const nlohmann::json& json);

}  // namespace sda

#endif  // SDA_TOPICS_COHERENCE_JSON_H_
