#include <fmt/format.h>

#include "base/terminal_line.h"
#include "cluster/status_text.h"

namespace sda {
namespace {

// As much of a line as has so many columns: escape sequences have none, a character of UTF-8 one.
std::string Clipped(const std::string& line, size_t columns) {
  std::string out;
  size_t used = 0;
  bool escape = false;
  for (const char c : line) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (c == '\x1b') escape = true;
    if (!escape && !continues) ++used;
    if (escape || used <= columns) out += c;
    if (escape && c >= 'a' && c <= 'z') escape = false;
  }
  return out;
}

}  // namespace

std::string Repaint(const std::vector<std::string>& picture, size_t last_lines, size_t columns,
                    size_t rows, size_t* lines) {
  // The cursor stays below the picture, so one row is not for it.
  *lines = std::min(picture.size(), rows > 1 ? rows - 1 : 1);
  std::string out = kLineStart;
  if (last_lines > 0) out += fmt::format("\x1b[{}A", last_lines);
  for (size_t i = 0; i < *lines; ++i) {
    // A row that is full to its last column must not be followed by erasing: that takes it away.
    out += kEraseRest + Clipped(picture[i], columns) + "\r\n";
  }
  return out + "\x1b[J";
}

}  // namespace sda
