#ifndef SDA_APPS_UI_START_PROGRESS_H_
#define SDA_APPS_UI_START_PROGRESS_H_

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "base/terminal_line.h"

namespace sda {

// The first minibatch takes the longest, and the loop has nothing to show until it is done; nor has
// it while documents are fitted again at the end. Shows how far that is, in the manner of
// ShowProgress().
class StartProgress {
 public:
  explicit StartProgress(std::string what = "topics are forming") : what_(std::move(what)) {}
  void operator()(int sweep, int sweeps);

 private:
  std::string what_;
  std::optional<std::chrono::steady_clock::time_point> start_;  // the first call
  TerminalLine line_{stderr};
};

// The same while the number of topics is chosen.
class CandidateProgress {
 public:
  void operator()(int topics, int sweep, int sweeps);

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  TerminalLine line_{stderr};
};

}  // namespace sda

#endif  // SDA_APPS_UI_START_PROGRESS_H_
