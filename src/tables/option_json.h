#ifndef SDA_TABLES_OPTION_JSON_H_
#define SDA_TABLES_OPTION_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

#include "sda/errors.h"
#include "sda/tables.h"

namespace sda {

inline nlohmann::json OptionToJson(const OptionValue& value) {
  return std::visit([](const auto& v) { return nlohmann::json(v); }, value);
}

// A value of the type of `usual`. Throws InputError if it is of another.
inline OptionValue OptionFromJson(const std::string& name, const nlohmann::json& value,
                                  const OptionValue& usual) {
  if (std::holds_alternative<uint64_t>(usual) && value.is_number_unsigned()) {
    return value.get<uint64_t>();
  }
  if (std::holds_alternative<double>(usual) && value.is_number()) return value.get<double>();
  if (std::holds_alternative<std::string>(usual) && value.is_string()) {
    return value.get<std::string>();
  }
  constexpr const char* kTypes[] = {"a whole number of at least 0", "a number", "a text"};
  throw InputError("option " + name + " is " + value.dump() + ", must be " + kTypes[usual.index()]);
}

}  // namespace sda

#endif  // SDA_TABLES_OPTION_JSON_H_
