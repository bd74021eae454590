#include "ui/colour.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "ui/escaped_output.h"

namespace sda {
namespace {

constexpr const char* kStrong = "\x1b[1m";
constexpr const char* kFaint = "\x1b[2m";
constexpr const char* kStrongRed = "\x1b[1;31m";
constexpr const char* kPlain = "\x1b[0m";

// The text goes through the stream that shows escape sequences instead of obeying them; these two
// do not.
void Print(const char* style, const std::string& text) {
  const bool colour = MayHaveColour(STDOUT_FILENO);
  auto set = [&](const char* sequence) {
    if (!colour) return;
    std::fflush(stdout);
    std::fputs(sequence, PlainStandardOutput());
  };
  set(style);
  std::fputs(text.c_str(), stdout);
  set(kPlain);
}

}  // namespace

bool MayHaveColour(int descriptor) {
  const char* const no = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return (no == nullptr || *no == 0) && terminal != nullptr && *terminal != 0 &&
         std::string_view(terminal) != "dumb" && isatty(descriptor) == 1;
}

void PrintStrong(const std::string& text) { Print(kStrong, text); }
void PrintFaint(const std::string& text) { Print(kFaint, text); }

std::string ErrorPrefix() {
  return MayHaveColour(STDERR_FILENO) ? std::string(kStrongRed) + "sda:" + kPlain + " " : "sda: ";
}

}  // namespace sda
