#ifndef SDA_CORE_RUN_CHECKPOINTS_H_
#define SDA_CORE_RUN_CHECKPOINTS_H_

#include <functional>
#include <memory>
#include <mutex>
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
  std::vector<std::string> inputs;  // files; the last one may grow
  // Of a run that follows the last input, which may have another name when the run is resumed: the
  // position at which the run begins, which tells what file it is. Called when there is no
  // checkpoint; empty: the run finds its inputs by their names.
  std::function<std::string()> start;
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
  // Opens the folder, and finds the checkpoint to resume from. If there is none, and the plan has a
  // start, that is saved first: what comes into the input from now on is found again, also if the
  // run is killed before it has learnt anything. Throws UsageError if the options are not those of
  // the run, InputError if its inputs have changed, IoError if the start cannot be saved.
  explicit RunCheckpoints(CheckpointPlan plan);

  bool on() const { return folder_ != nullptr; }
  const CheckpointPlan& plan() const { return plan_; }
  // Where to resume; null: nothing was learnt yet.
  const Checkpoint* last() const { return last_ && last_->folded.size() > 0 ? &*last_ : nullptr; }
  // The position at which the run begins if nothing was learnt yet; empty: that of the inputs.
  const std::string& start() const { return start_; }
  // More is known about it. Until there is a checkpoint of what was learnt, this is saved, too.
  // From any thread.
  void KeepStart(const std::string& position);

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
  void TakeNotes(const nlohmann::json& earlier);
  void CheckSame(const nlohmann::json& earlier) const;
  // The path of the input that may be longer when the run is resumed; empty: none.
  std::string GrowingInput() const;
  void WriteCheckpoint(const Run& run, const PosteriorCopy& copy, const Progress& progress,
                       const std::string& state);

  const CheckpointPlan plan_;
  std::string every_;  // of the plan, or else as the run was begun
  std::mutex mutex_;   // held while something is written to the folder
  std::unique_ptr<CheckpointFolder> folder_;
  bool begun_ = false;  // a checkpoint of what was learnt is there
  std::optional<Checkpoint> last_;
  std::string start_;
  nlohmann::json notes_;  // of the run: its options and inputs
  nlohmann::json state_;
};

}  // namespace sda

#endif  // SDA_CORE_RUN_CHECKPOINTS_H_
