#include <string>

#include "report/document_survey.h"

namespace sda::report {

std::string Snippet(std::string_view text, size_t characters) {
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  std::string snippet;
  size_t count = 0;
  bool gap = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_space(text[i])) {
      gap = !snippet.empty();
      continue;
    }
    if (!continues(text[i])) {
      count += gap ? 2 : 1;
      if (count > characters) return snippet + "\u2026";
      if (gap) snippet += ' ';
      gap = false;
    }
    snippet += text[i];
  }
  return snippet;
}

}  // namespace sda::report
