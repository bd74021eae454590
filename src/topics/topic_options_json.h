#ifndef SDA_TOPICS_TOPIC_OPTIONS_JSON_H_
#define SDA_TOPICS_TOPIC_OPTIONS_JSON_H_

#include <nlohmann/json.hpp>

#include "sda/topic_options.h"

namespace sda {

// As TopicOptions::ToJson() and FromJson(), for those who put them into a larger object.
nlohmann::json TopicOptionsToJson(const TopicOptions& options);
TopicOptions TopicOptionsFromJson(const nlohmann::json& in);

}  // namespace sda

#endif  // SDA_TOPICS_TOPIC_OPTIONS_JSON_H_
