#ifndef SDA_APPS_FIT_CHECKPOINT_H_
#define SDA_APPS_FIT_CHECKPOINT_H_

#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fit.h"
#include "sda/background_saver.h"
#include "sda/checkpoint.h"

namespace sda {

// The options that were given, as arguments that give them again; the inputs are last.
std::vector<std::string> ArgumentsOf(const CLI::App& command);

// For `sda fit --checkpoint DIR --resume` alone: the arguments of the run whose checkpoints these
// are, together with those given now.
std::vector<std::string> StoredArguments(const FitFlags& flags, const CLI::App& command);

// Writes the last checkpoint, after the run. What goes wrong is returned, not thrown: the model is
// still to be saved.
std::exception_ptr FailureOfLast(BackgroundSaver* saver);
// Calls save. If that throws, too, the failure before it is said first.
void SaveInSpiteOf(const std::exception_ptr& failure, const std::function<void()>& save);

// The checkpoints of one `sda fit`: what is in them beside the posterior, and what must be the same
// for a run to go on from them. Does nothing without --checkpoint.
class FitCheckpoints {
 public:
  // Opens the folder, and finds the checkpoint to go on from. Throws std::invalid_argument if the
  // options are not those of the run, std::runtime_error if its inputs have changed.
  FitCheckpoints(const FitFlags& flags, const CLI::App& command);

  bool on() const { return folder_ != nullptr; }
  // Where to go on; null: at the beginning.
  const Checkpoint* last() const { return last_ ? &*last_ : nullptr; }
  // What SaverOf() was given when that was written.
  const nlohmann::json& fixed() const { return notes_.at("fixed"); }
  const nlohmann::json& state() const { return state_; }

  struct Run {
    std::function<PosteriorCopy()> copy;
    std::function<Progress(const IdSet& folded)> progress;
    std::function<nlohmann::json()> fixed;  // asked when a checkpoint is written, from any thread
    std::function<nlohmann::json()> state;  // as of the end of a minibatch or round; may be empty
    // With --follow, what is done at each save beside the checkpoint.
    std::function<void(const PosteriorCopy&, const Progress&)> save_model;
  };
  // Null without --checkpoint and --follow. This must outlive it.
  std::unique_ptr<BackgroundSaver> SaverOf(Run run);

 private:
  void CheckSame(const nlohmann::json& earlier) const;
  void WriteCheckpoint(const Run& run, const PosteriorCopy& copy, const Progress& progress,
                       const std::string& state);

  const FitFlags& flags_;
  std::unique_ptr<CheckpointFolder> folder_;
  std::optional<Checkpoint> last_;
  nlohmann::json notes_;  // of the run: its options and inputs
  nlohmann::json state_;
};

}  // namespace sda

#endif  // SDA_APPS_FIT_CHECKPOINT_H_
