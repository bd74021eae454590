#include "base/parse_json.h"

#include <fmt/format.h>

namespace sda {
namespace {

using nlohmann::json;

class NestedTooDeeply : public json::exception {
 public:
  NestedTooDeeply() : exception(0, Text().c_str()) {}

 private:
  static std::string Text() {
    return fmt::format("JSON that is nested more than {} deep", kMostJsonDepth);
  }
};

// Of text that need not be JSON.
bool IsNestedTooDeeply(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kMostJsonDepth) return true;
  }
  return false;
}

}  // namespace

json ParseJson(std::string_view text, bool allow_exceptions) {
  if (!IsNestedTooDeeply(text)) return json::parse(text, nullptr, allow_exceptions);
  if (allow_exceptions) throw NestedTooDeeply();
  return json(json::value_t::discarded);
}

}  // namespace sda
