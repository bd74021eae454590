#include "ui/start_progress.h"

#include <fmt/format.h>

#include "ui/command.h"

namespace sda {

void StartProgress::operator()(int sweep, int sweeps) {
  if (Quiet()) return;
  const auto now = std::chrono::steady_clock::now();
  if (!start_) start_ = now;
  const std::chrono::duration<double> elapsed = now - *start_;
  if (line_.IsDue(elapsed.count())) {
    line_.Show(elapsed.count(), fmt::format("{}: sweep {} of {}", what_, sweep, sweeps));
  }
  if (sweep == sweeps) line_.Clear();  // a run that ends with this shows no other line in its place
}

void CandidateProgress::operator()(int topics, int sweep, int sweeps) {
  if (Quiet()) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  if (line_.IsDue(elapsed.count())) {
    line_.Show(elapsed.count(),
               fmt::format("trying {} topics: sweep {} of {}", topics, sweep, sweeps));
  }
}

}  // namespace sda
