#ifndef SDA_BASE_STRICT_JSON_H_
#define SDA_BASE_STRICT_JSON_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "sda/errors.h"

namespace sda {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// Reads a value of a field's type. Throws InputError if it is of another or does not fit: the JSON
// library alone takes 1.5 for a whole number, and -1 for a large one.
template <class T>
void ReadStrictly(const nlohmann::json& value, T* field) {
  if constexpr (kIsOptional<T>) {
    ReadStrictly(value, &field->emplace());
  } else {
    const nlohmann::json back = *field = value.get<T>();
    // To the JSON library, -1 and the largest unsigned number are equal.
    const bool negative = value.is_number() && value.get<double>() < 0;
    if (back != value || (std::is_unsigned_v<T> && negative)) {
      throw InputError(value.dump() + " is not a value of its type");
    }
  }
}

// The same of a member of an object, which is named in the error.
template <class T>
void ReadStrictly(const nlohmann::json& object, const char* key, T* field) {
  try {
    ReadStrictly(object.at(key), field);
  } catch (const std::exception& e) {
    throw InputError(std::string(key) + ": " + e.what());
  }
}

}  // namespace sda

#endif  // SDA_BASE_STRICT_JSON_H_
