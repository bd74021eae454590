#ifndef SDA_BASE_VARINT_H_
#define SDA_BASE_VARINT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sda {

// Whole numbers as bytes, 7 bits a byte, the low ones first.
inline void PutVarint(uint64_t number, std::string* bytes) {
  for (; number > 127; number >>= 7) *bytes += static_cast<char>((number & 127) | 128);
  *bytes += static_cast<char>(number);
}

// Takes one off the front of bytes. Nothing if none is there, or it has more than 64 bits.
inline std::optional<uint64_t> TakeVarint(std::string_view* bytes) {
  uint64_t number = 0;
  for (int shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes->front());
    bytes->remove_prefix(1);
    const uint64_t bits = byte & 127u;
    if (shift == 63 && bits > 1) return std::nullopt;
    number |= bits << shift;
    if (byte < 128) return number;
  }
  return std::nullopt;
}

}  // namespace sda

#endif  // SDA_BASE_VARINT_H_
