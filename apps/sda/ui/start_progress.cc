#include "ui/start_progress.h"

#include <fmt/format.h>

namespace sda {

void StartProgress::operator()(int sweep, int sweeps) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  if (line_.IsDue(elapsed.count())) {
    line_.Show(elapsed.count(), fmt::format("topics are forming: sweep {} of {}", sweep, sweeps));
  }
}

}  // namespace sda
