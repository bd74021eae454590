#ifndef SDA_BASE_UTF8_H_
#define SDA_BASE_UTF8_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace sda {

bool IsValidUtf8(std::string_view bytes);

// *out becomes bytes with U+FFFD for each sequence that is not valid UTF-8; returns how many.
uint64_t ReplaceInvalidUtf8(std::string_view bytes, std::string* out);

}  // namespace sda

#endif  // SDA_BASE_UTF8_H_
