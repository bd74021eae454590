#include "ui/start_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>


namespace sda {

void StartProgress::operator()(int sweep, int sweeps) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  if (elapsed.count() >= next_) {
    const bool terminal = isatty(STDERR_FILENO) == 1;
    const std::string line = fmt::format("topics are forming: sweep {} of {}", sweep, sweeps);
    std::fputs(((terminal ? "\r" : "") + line + (terminal ? "\x1b[K" : "\n")).c_str(), stderr);
    next_ = elapsed.count() + (terminal ? 0.1 : 5);
  }
}

}  // namespace sda
