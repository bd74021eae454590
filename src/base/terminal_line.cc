#include "base/terminal_line.h"

#include <unistd.h>

#include "base/text.h"

namespace sda {

TerminalLine::TerminalLine(std::FILE* out) : out_(out), terminal_(isatty(fileno(out)) == 1) {}

void TerminalLine::Show(double seconds, const std::string& line) {
  const std::string text = Shown(line);
  std::fputs((terminal_ ? kLineStart + text + kEraseRest : text + "\n").c_str(), out_);
  std::fflush(out_);
  shown_ = true;
  next_ = seconds + (terminal_ ? 0.1 : 5);
}

void TerminalLine::End() {
  if (shown_ && terminal_) std::fputc('\n', out_);
}

void TerminalLine::Clear() {
  if (!shown_ || !terminal_) return;
  std::fputs((std::string(kLineStart) + kEraseRest).c_str(), out_);
  std::fflush(out_);
  shown_ = false;
}

}  // namespace sda
