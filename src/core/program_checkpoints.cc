#include <cstdio>
#include <filesystem>
#include <utility>

#include "core/program_arguments.h"
#include "core/run_checkpoints.h"
#include "sda/program.h"

namespace sda {
namespace {

CheckpointPlan PlanOf(const ProgramOptions& options, const std::string& items_name) {
  CheckpointPlan plan;
  plan.folder = options.checkpoint;
  plan.every = options.checkpoint_every;
  plan.resume = options.resume;
  plan.asynchronous = options.run.schedule == Schedule::kAsynchronous;
  plan.arguments = ArgumentsOf(options);
  plan.values = options.values;
  for (const std::string& argument : options.arguments) {
    // A word that is no file may mean anything, and a folder is the program's own business.
    std::error_code ignored;
    const auto status = std::filesystem::status(argument, ignored);
    const bool file = std::filesystem::exists(status) && !std::filesystem::is_directory(status);
    if (file || argument == "-") plan.inputs.push_back(argument);
  }
  plan.items_name = items_name;
  plan.say = SayOnStderr;
  return plan;
}

}  // namespace

void SayOnStderr(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

struct ProgramCheckpoints::State {
  explicit State(CheckpointPlan plan) : folder(plan.folder), run(std::move(plan)) {}

  const std::string folder;
  RunCheckpoints run;
  Summary before;      // the checkpoint from which this run goes on
  double seconds = 0;  // of all runs
  std::unique_ptr<BackgroundSaver> saver;
};

ProgramCheckpoints::ProgramCheckpoints(const ProgramOptions& options, const std::string& items_name)
    : state_(std::make_unique<State>(PlanOf(options, items_name))) {
  const Checkpoint* const earlier = last();
  if (earlier == nullptr) return;
  state_->before.items = earlier->progress.total().items;
  state_->before.minibatches = earlier->folded.size();
  state_->before.seconds = state_->run.state().at("seconds").get<double>();
  state_->seconds = state_->before.seconds;
}

ProgramCheckpoints::~ProgramCheckpoints() = default;

bool ProgramCheckpoints::on() const { return state_->run.on(); }

const Checkpoint* ProgramCheckpoints::last() const { return state_->run.last(); }

void ProgramCheckpoints::Begin(std::function<PosteriorCopy()> copy,
                               std::function<Progress(const IdSet& folded)> progress) {
  state_->saver = state_->run.SaverOf(
      {.copy = std::move(copy), .progress = std::move(progress), .state = [state = state_.get()] {
         return nlohmann::json{{"seconds", state->seconds}};
       }});
}

Summary ProgramCheckpoints::Whole(Summary summary) const {
  summary.items += state_->before.items;
  summary.minibatches += state_->before.minibatches;
  summary.seconds += state_->before.seconds;
  return summary;
}

void ProgramCheckpoints::Observe(const Summary& summary) {
  state_->seconds = state_->before.seconds + summary.seconds;
  if (state_->saver) state_->saver->Observe(summary);
}

void ProgramCheckpoints::Finish(const Summary& summary) {
  if (!state_->saver || summary.minibatches == 0) return;
  state_->saver->Finish();
  if (summary.stopped) {
    SayOnStderr("stopped early; to go on: --checkpoint " + state_->folder + " --resume");
  }
}

}  // namespace sda
