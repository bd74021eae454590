#include "ui/escaped_output.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"
#include "sda/errors.h"

namespace sda {
namespace {

struct Escaping {
  std::FILE* plain = stdout;
  std::string unfinished;  // the first bytes of a character whose rest is not printed yet
};

Escaping* escaping() {
  static auto* const only = new Escaping;  // the streams are flushed after all else is gone
  return only;
}

// Bytes at the end that begin a character of UTF-8 whose rest is missing.
size_t Unfinished(std::string_view text) {
  for (size_t n = 1; n <= std::min<size_t>(3, text.size()); ++n) {
    const auto byte = static_cast<unsigned char>(text[text.size() - n]);
    if ((byte & 0xC0) == 0x80) continue;
    const size_t whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return n < whole ? n : 0;
  }
  return 0;
}

// As fopencookie() wants it: 0 is an error.
ssize_t WriteEscaped(void* cookie, const char* data, size_t size) {
  auto* state = static_cast<Escaping*>(cookie);
  std::string text = state->unfinished + std::string(data, size);
  const size_t whole = text.size() - Unfinished(text);
  state->unfinished = text.substr(whole);
  text = Shown(std::string_view(text).substr(0, whole), "\n\t");
  const bool written = std::fwrite(text.data(), 1, text.size(), state->plain) == text.size() &&
                       std::fflush(state->plain) == 0;
  return written ? static_cast<ssize_t>(size) : 0;
}

}  // namespace

void EscapeStandardOutput() {
  if (isatty(STDOUT_FILENO) != 1) return;
  std::FILE* escaped = fopencookie(
      escaping(), "w", {.read = nullptr, .write = WriteEscaped, .seek = nullptr, .close = nullptr});
  if (escaped == nullptr) throw IoError("cannot open standard output");
  std::setvbuf(escaped, nullptr, _IOLBF, BUFSIZ);
  stdout = escaped;
}

std::FILE* PlainStandardOutput() { return escaping()->plain; }

}  // namespace sda
