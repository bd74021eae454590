#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace sda {

std::string Quoted(std::string_view found) {
  constexpr size_t kShown = 60;
  std::string out = "\"";
  for (const unsigned char c : found.substr(0, kShown)) {
    if (c < 0x20 || c >= 0x7f) {
      out += fmt::format("\\x{:02x}", c);
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + (found.size() > kShown ? "...\"" : "\"");
}

std::string FlagOf(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

}  // namespace sda
