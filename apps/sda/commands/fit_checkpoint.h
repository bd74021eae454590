#ifndef SDA_APPS_COMMANDS_FIT_CHECKPOINT_H_
#define SDA_APPS_COMMANDS_FIT_CHECKPOINT_H_

#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "commands/fit.h"
#include "core/run_checkpoints.h"

namespace sda {

// For `sda fit --checkpoint DIR --resume` alone: the arguments of the run whose checkpoints these
// are, together with those given now.
std::vector<std::string> ArgumentsToGoOn(const FitFlags& flags, const CLI::App& command);

// Writes the last checkpoint, after the run. What goes wrong is returned, not thrown: the model is
// still to be saved.
std::exception_ptr FailureOfLast(BackgroundSaver* saver);
// Calls save. If that throws, too, the failure before it is said first.
void SaveInSpiteOf(const std::exception_ptr& failure, const std::function<void()>& save);

// The checkpoints of one `sda fit`. Does nothing without --checkpoint and --follow.
class FitCheckpoints : public RunCheckpoints {
 public:
  FitCheckpoints(const FitFlags& flags, const CLI::App& command);
};

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_FIT_CHECKPOINT_H_
