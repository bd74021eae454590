#include "base/base64.h"

#include <array>
#include <cstdint>

namespace sda {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNone = 64;

constexpr std::array<uint8_t, 256> kValues = [] {
  std::array<uint8_t, 256> values{};
  values.fill(kNone);
  for (uint8_t i = 0; i < kDigits.size(); ++i) values[static_cast<uint8_t>(kDigits[i])] = i;
  return values;
}();

}  // namespace

std::string ToBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  uint32_t held = 0;
  int bits = 0;
  for (const unsigned char byte : bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 6; bits -= 6) text += kDigits[(held >> (bits - 6)) & 63];
  }
  if (bits > 0) text += kDigits[(held << (6 - bits)) & 63];
  return text;
}

std::optional<std::string> FromBase64(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  uint32_t held = 0;
  int bits = 0;
  for (const unsigned char digit : text) {
    if (kValues[digit] == kNone) return std::nullopt;
    held = (held << 6) | kValues[digit];
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>((held >> bits) & 255);
    }
  }
  if ((held & ((1u << bits) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace sda
