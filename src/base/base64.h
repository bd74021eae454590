#ifndef SDA_BASE_BASE64_H_
#define SDA_BASE_BASE64_H_

#include <optional>
#include <string>
#include <string_view>

namespace sda {

// RFC 4648, without padding: bytes as printable text, for JSON.
std::string ToBase64(std::string_view bytes);
// Nothing if it is not what ToBase64() returns.
std::optional<std::string> FromBase64(std::string_view text);

}  // namespace sda

#endif  // SDA_BASE_BASE64_H_
