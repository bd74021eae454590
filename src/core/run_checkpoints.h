#ifndef SDA_CORE_RUN_CHECKPOINTS_H_
#define SDA_CORE_RUN_CHECKPOINTS_H_

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sda/background_saver.h"
#include "sda/checkpoint.h"
#include "sda/context.h"

namespace sda {

// The checkpoints of a run, be it one of sda or of a program of the user's own, and what must be
// the same for the run to resume from them.
struct CheckpointPlan {
  std::string kind;    // of the run: topics, table or program
  std::string folder;  // empty: none
  std::string every;   // 30s, or a number of minibatches; empty: the default
  bool resume = false;
  bool asynchronous = false;
  bool saves_models = false;  // RunCheckpoints::Run::save_model is called at each save

  // The options as a JSON object, under names of their own. A run resumes only with the `options`
  // it began with; `settings` are those that may differ, such as the number of threads.
  nlohmann::json options;
  nlohmann::json settings;
  std::vector<std::string> inputs;       // files; the last one may grow
  bool follows_last_input = false;       // its position then tells which file it is
  std::vector<std::string> other_files;  // that must not change either
  std::string items_name = "items";
  Context context;  // notices go to its log; it is stopped if a save fails
};

// Of --checkpoint-every: seconds, such as 30s, or minibatches. Throws UsageError.
SaveOptions SaveOptionsOf(const std::string& every);

// What a run stored of its options, for one that is resumed without giving them again.
struct StoredOptions {
  std::string kind;
  nlohmann::json options;
  nlohmann::json settings;
};
// Nothing if the folder has no checkpoint. Throws UsageError if the run was started in another
// directory.
std::optional<StoredOptions> ReadStoredOptions(const std::string& folder, const Context& context);

// The checkpoints of one run: what is in them beside the posterior.
class RunCheckpoints {
 public:
  // Opens the folder, and finds the checkpoint to resume from. Throws UsageError if the options are
  // not those of the run, InputError if its inputs have changed.
  explicit RunCheckpoints(CheckpointPlan plan);

  bool on() const { return folder_ != nullptr; }
  const CheckpointPlan& plan() const { return plan_; }
  // Where to resume; null: at the beginning.
  const Checkpoint* last() const { return last_ ? &*last_ : nullptr; }
  // What SaverOf() was given when that was written.
  const nlohmann::json& fixed() const { return notes_.at("fixed"); }
  const nlohmann::json& state() const { return state_; }

  struct Run {
    std::function<PosteriorCopy()> copy;
    std::function<Progress(const IdSet& folded)> progress;
    std::function<nlohmann::json()> fixed;  // asked when a checkpoint is written, from any thread
    std::function<nlohmann::json()> state;  // as of the end of a minibatch or round; may be empty
    uint64_t minibatches_before = 0;        // in the posterior when the run begins
    // What is done at each save beside the checkpoint, if the plan says so.
    std::function<void(const PosteriorCopy&, const Progress&)> save_model;
  };
  // Null if there is nothing to save. This must outlive it.
  std::unique_ptr<BackgroundSaver> SaverOf(Run run);

 private:
  void CheckSame(const nlohmann::json& earlier) const;
  // The path of the input that may be longer when the run is resumed; empty: none.
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
