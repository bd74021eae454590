#ifndef SDA_BASE_PARSE_JSON_H_
#define SDA_BASE_PARSE_JSON_H_

#include <nlohmann/json.hpp>
#include <string_view>

namespace sda {

inline constexpr int kMostJsonDepth = 100;  // of arrays and objects within each other

// Parses JSON that may come from outside. What is nested more deeply than that is refused: the
// JSON library copies, compares and writes values by recursion, which would overflow the stack.
// Throws nlohmann::json::exception, or returns a discarded value if it must not throw.
nlohmann::json ParseJson(std::string_view text, bool allow_exceptions = true);

}  // namespace sda

#endif  // SDA_BASE_PARSE_JSON_H_
