#ifndef SDA_TOPICS_TOPIC_OPTIONS_JSON_H_
#define SDA_TOPICS_TOPIC_OPTIONS_JSON_H_

#include <nlohmann/json.hpp>

#include "sda/topic_fit.h"
#include "sda/topic_options.h"

namespace sda {

// As TopicOptions::ToJson() and FromJson(), for those who put them into a larger object.
nlohmann::json TopicOptionsToJson(const TopicOptions& options);
TopicOptions TopicOptionsFromJson(const nlohmann::json& in);
nlohmann::json TopicFitOptionsToJson(const TopicFitOptions& options);

}  // namespace sda

#endif  // SDA_TOPICS_TOPIC_OPTIONS_JSON_H_
