#include "base/utf8.h"

#include <simdjson.h>
#include <unicode/utf8.h>

namespace sda {

bool IsValidUtf8(std::string_view bytes) {
  return simdjson::validate_utf8(bytes.data(), bytes.size());
}

uint64_t ReplaceInvalidUtf8(std::string_view bytes, std::string* out) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  const char* const data = bytes.data();
  const int32_t size = static_cast<int32_t>(bytes.size());  // lines are capped far below
  uint64_t replaced = 0;
  out->clear();
  for (int32_t at = 0; at < size;) {
    const int32_t from = at;
    UChar32 code_point = 0;
    U8_NEXT(data, at, size, code_point);
    if (code_point >= 0) {
      out->append(data + from, at - from);
    } else {
      out->append(kReplacement);
      ++replaced;
    }
  }
  return replaced;
}

}  // namespace sda
