#include "ui/start_progress.h"

#include <fmt/format.h>

#include "ui/command.h"

namespace sda {

bool StartProgress::operator()(int sweep, int sweeps) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  if (line_.IsDue(elapsed.count())) {
    line_.Show(elapsed.count(), fmt::format("topics are forming: sweep {} of {}", sweep, sweeps));
  }
  return !(may_be_cut_short_ && StopFlag()->load());
}

}  // namespace sda
