#ifndef SDA_CORE_SCHEDULE_JSON_H_
#define SDA_CORE_SCHEDULE_JSON_H_

#include <nlohmann/json.hpp>

#include "sda/errors.h"
#include "sda/options.h"

namespace sda {

// Schedules and priors of workers in JSON: by their names. A name that is not known is an
// InputError.
inline void to_json(nlohmann::json& json, Schedule schedule) { json = NameOf(schedule); }
inline void to_json(nlohmann::json& json, WorkerPrior prior) { json = NameOf(prior); }

template <class Value>
Value NamedValue(const nlohmann::json& json, const std::map<std::string, Value>& names) {
  const auto found = names.find(json.get<std::string>());
  if (found == names.end()) throw InputError("the name " + json.dump() + " is not known");
  return found->second;
}

inline void from_json(const nlohmann::json& json, Schedule& schedule) {
  schedule = NamedValue(json, ScheduleNames());
}
inline void from_json(const nlohmann::json& json, WorkerPrior& prior) {
  prior = NamedValue(json, WorkerPriorNames());
}

}  // namespace sda

#endif  // SDA_CORE_SCHEDULE_JSON_H_
