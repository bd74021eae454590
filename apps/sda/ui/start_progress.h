#ifndef SDA_APPS_UI_START_PROGRESS_H_
#define SDA_APPS_UI_START_PROGRESS_H_

#include <chrono>
#include <cstdio>

#include "base/terminal_line.h"

namespace sda {

// The first minibatch takes the longest, and the loop has nothing to show until it is done. Shows
// how far it is, in the manner of ShowProgress().
class StartProgress {
 public:
  void operator()(int sweep, int sweeps);

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  TerminalLine line_{stderr};
};

}  // namespace sda

#endif  // SDA_APPS_UI_START_PROGRESS_H_
