#include <filesystem>
#include <utility>

#include "core/program_options.h"
#include "core/run_checkpoints.h"
#include "sda/program.h"

namespace sda {
namespace {

CheckpointPlan PlanOf(const ProgramOptions& options, const std::string& items_name) {
  CheckpointPlan plan;
  plan.kind = "program";
  plan.folder = options.checkpoint;
  plan.every = options.checkpoint_every;
  plan.resume = options.resume;
  plan.asynchronous = options.run.schedule == Schedule::kAsynchronous;
  plan.options = ToJson(options);
  plan.settings = nlohmann::json::object();
  for (const std::string& argument : options.arguments) {
    // A word that is no file may mean anything, and a folder is the program's own business.
    std::error_code ignored;
    const auto status = std::filesystem::status(argument, ignored);
    const bool file = std::filesystem::exists(status) && !std::filesystem::is_directory(status);
    if (file || argument == "-") plan.inputs.push_back(argument);
  }
  plan.items_name = items_name;
  plan.context = options.context;
  return plan;
}

}  // namespace

struct ProgramCheckpoints::State {
  explicit State(CheckpointPlan plan) : run(std::move(plan)) {}

  RunCheckpoints run;
  Summary before;  // the checkpoint from which this run resumes
  Summary whole;   // of all runs, as of the last fold
  std::unique_ptr<BackgroundSaver> saver;
};

ProgramCheckpoints::ProgramCheckpoints(const ProgramOptions& options, const std::string& items_name)
    : state_(std::make_unique<State>(PlanOf(options, items_name))) {
  if (last() == nullptr) return;
  state_->before = DeserializeSummary(state_->run.state().at("summary").get<std::string>());
  // What is in the posterior; a summary may be of a moment before.
  state_->before.counts = last()->progress.total();
  state_->before.minibatches = last()->folded.size();
  state_->whole = state_->before;
}

ProgramCheckpoints::~ProgramCheckpoints() = default;

bool ProgramCheckpoints::on() const { return state_->run.on(); }

const Checkpoint* ProgramCheckpoints::last() const { return state_->run.last(); }

void ProgramCheckpoints::Begin(std::function<PosteriorCopy()> copy,
                               std::function<Progress(const IdSet& folded)> progress) {
  state_->saver = state_->run.SaverOf(
      {.copy = std::move(copy), .progress = std::move(progress), .state = [state = state_.get()] {
         return nlohmann::json{{"summary", SerializeSummary(state->whole)}};
       }});
}

Summary ProgramCheckpoints::Whole(const Summary& summary) const {
  Summary whole = state_->before;
  return whole += summary;
}

void ProgramCheckpoints::Observe(const Summary& summary) {
  state_->whole = Whole(summary);
  if (state_->saver) state_->saver->Observe(state_->whole);
}

void ProgramCheckpoints::Finish(const Summary& summary) {
  if (!state_->saver || summary.minibatches == 0) return;
  state_->saver->Finish();
  if (summary.stopped) {
    state_->run.plan().context.Log("stopped early; to resume: --checkpoint " +
                                   state_->run.plan().folder + " --resume");
  }
}

}  // namespace sda
