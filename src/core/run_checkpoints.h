#ifndef SDA_CORE_RUN_CHECKPOINTS_H_
#define SDA_CORE_RUN_CHECKPOINTS_H_

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sda/background_saver.h"
#include "sda/checkpoint.h"

namespace sda {

// The checkpoints that the command line of a program asks for, be it sda or one of a user's own,
// and what must be the same for a run to go on from them.
struct CheckpointPlan {
  std::string folder;  // --checkpoint; empty: none
  std::string every;   // --checkpoint-every; empty: the default
  bool resume = false;
  bool asynchronous = false;
  bool saves_models = false;  // RunCheckpoints::Run::save_model is to be called at each save

  std::vector<std::string> arguments;         // that give all options again; the inputs are last
  std::map<std::string, std::string> values;  // of the options that the result depends on
  std::vector<std::string> inputs;            // files; the last one may grow
  bool follows_last_input = false;            // whose position then says which file it is
  std::vector<std::string> other_files;       // that must not change either
  std::string items_name = "items";
  std::function<void(const std::string& line)> say;  // tells the user
};

// Of --checkpoint-every: seconds, such as 30s, or minibatches. Throws std::invalid_argument.
SaveOptions SaveOptionsOf(const std::string& every);

// The arguments of the run whose checkpoints are in this folder; nothing if there is none. Throws
// std::invalid_argument if the run was started in another directory.
std::optional<std::vector<std::string>> StoredArguments(
    const std::string& folder, const std::function<void(const std::string& line)>& say);

// The checkpoints of one run: what is in them beside the posterior.
class RunCheckpoints {
 public:
  // Opens the folder, and finds the checkpoint to go on from. Throws std::invalid_argument if the
  // options are not those of the run, std::runtime_error if its inputs have changed.
  explicit RunCheckpoints(CheckpointPlan plan);

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
    // What is done at each save beside the checkpoint, if the plan says so.
    std::function<void(const PosteriorCopy&, const Progress&)> save_model;
  };
  // Null if there is nothing to save. This must outlive it.
  std::unique_ptr<BackgroundSaver> SaverOf(Run run);

 private:
  void CheckSame(const nlohmann::json& earlier) const;
  // The path of the input that may be longer when the run goes on; empty: none.
  std::string GrowingInput() const;
  void WriteCheckpoint(const Run& run, const PosteriorCopy& copy, const Progress& progress,
                       const std::string& state);

  const CheckpointPlan plan_;
  std::unique_ptr<CheckpointFolder> folder_;
  std::optional<Checkpoint> last_;
  nlohmann::json notes_;  // of the run: its options and inputs
  nlohmann::json state_;
};

}  // namespace sda

#endif  // SDA_CORE_RUN_CHECKPOINTS_H_
