#include "core/run_checkpoints.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "core/input_stamps.h"
#include "sda/program.h"

namespace sda {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// A checkpoint notes the options, the names of files among them, as text.
void CheckUtf8(std::vector<std::string> arguments) {
  arguments.push_back(fs::current_path().string());
  for (const std::string& argument : arguments) {
    if (IsValidUtf8(argument)) continue;
    throw std::invalid_argument(
        Quoted(argument) +
        " is not UTF-8, so that no checkpoint can hold this name to go on from it; give the file "
        "another name, or make a link to it (ln -s)");
  }
}

std::optional<Checkpoint> LoadLast(CheckpointFolder* folder,
                                   const std::function<void(const std::string& line)>& say) {
  std::vector<std::string> damage;
  auto last = folder->LoadLast(&damage);
  for (const std::string& line : damage) say(line + "; the checkpoint before it is used");
  return last;
}

json NotesOf(const Checkpoint& checkpoint) {
  try {
    json notes = json::parse(checkpoint.notes);
    for (const char* key : {"arguments", "directory", "values", "inputs", "fixed", "state"}) {
      notes.at(key);
    }
    return notes;
  } catch (const json::exception& e) {
    throw std::runtime_error(checkpoint.path + ": is not a checkpoint of such a run: " + e.what());
  }
}

}  // namespace

SaveOptions SaveOptionsOf(const std::string& every) {
  SaveOptions options;
  if (every.empty()) return options;
  options.greatest_share = 1;  // as the user says
  const char* const end = every.data() + every.size();
  std::from_chars_result parsed{};
  if (every.back() == 's') {
    parsed = std::from_chars(every.data(), end, options.seconds);
    if (parsed.ptr + 1 == end && options.seconds > 0) return options;
  } else {
    parsed = std::from_chars(every.data(), end, options.minibatches);
    if (parsed.ptr == end && options.minibatches > 0) return options;
  }
  throw std::invalid_argument("--checkpoint-every is " + every +
                              ", must be seconds, such as 30s, or a number of minibatches");
}

std::optional<std::vector<std::string>> StoredArguments(
    const std::string& folder, const std::function<void(const std::string& line)>& say) {
  CheckpointFolder checkpoints(folder);
  const auto last = LoadLast(&checkpoints, say);
  if (!last) return std::nullopt;
  const json notes = NotesOf(*last);
  const std::string directory = notes.at("directory").get<std::string>();
  if (directory != fs::current_path().string()) {
    throw std::invalid_argument(folder + ": the run was started in " + directory +
                                "; go on from there, or give all options again");
  }
  return notes.at("arguments").get<std::vector<std::string>>();
}

RunCheckpoints::RunCheckpoints(CheckpointPlan plan) : plan_(std::move(plan)) {
  SaveOptionsOf(plan_.every);
  if (plan_.folder.empty()) {
    if (plan_.resume || (!plan_.every.empty() && !plan_.saves_models)) {
      throw std::invalid_argument(std::string(plan_.resume ? "--resume" : "--checkpoint-every") +
                                  " needs --checkpoint DIR");
    }
    return;
  }
  CheckRereadable(plan_.inputs);
  CheckUtf8(plan_.arguments);
  folder_ = std::make_unique<CheckpointFolder>(plan_.folder);
  if (!folder_->empty() && !plan_.resume) {
    throw std::invalid_argument(plan_.folder +
                                ": holds checkpoints of an earlier run; go on "
                                "from them with --resume, or remove the folder");
  }
  notes_ = {{"arguments", plan_.arguments},
            {"directory", fs::current_path().string()},
            {"values", plan_.values}};
  last_ = LoadLast(folder_.get(), plan_.say);
  if (last_) {
    const json earlier = NotesOf(*last_);
    CheckSame(earlier);
    notes_["inputs"] = earlier.at("inputs");
    notes_["fixed"] = earlier.at("fixed");
    state_ = earlier.at("state");
    plan_.say(fmt::format("going on from {}, after {} {}", last_->path,
                          Grouped(last_->progress.total().items), plan_.items_name));
    return;
  }
  if (plan_.resume) plan_.say(plan_.folder + ": no checkpoint yet; starting at the beginning");
  std::vector<std::string> files = plan_.inputs;
  if (plan_.follows_last_input) files.pop_back();
  files.insert(files.end(), plan_.other_files.begin(), plan_.other_files.end());
  notes_["inputs"] = StampsOf(files);
}

void RunCheckpoints::CheckSame(const json& earlier) const {
  const auto before = earlier.at("values").get<std::map<std::string, std::string>>();
  const auto& now = plan_.values;
  std::string differences;
  auto add = [&](const std::string& name, const std::string& was, const std::string& is) {
    differences +=
        fmt::format("{}{} was {}, now {}", differences.empty() ? "" : "; ", name, was, is);
  };
  for (const auto& [name, value] : before) {
    const auto found = now.find(name);
    if (found == now.end()) add(name, value, "not given");
    if (found != now.end() && found->second != value) add(name, value, found->second);
  }
  for (const auto& [name, value] : now) {
    if (!before.contains(name)) add(name, "not given", value);
  }
  if (!differences.empty()) {
    throw std::invalid_argument(fmt::format(
        "{}; a run goes on only with the options it began with (to begin anew, remove {})",
        differences, plan_.folder));
  }
  CheckStamps(earlier.at("inputs"), GrowingInput(), plan_.folder);
}

std::string RunCheckpoints::GrowingInput() const {
  return plan_.inputs.empty() || plan_.follows_last_input ? "" : plan_.inputs.back();
}

void RunCheckpoints::WriteCheckpoint(const Run& run, const PosteriorCopy& copy,
                                     const Progress& progress, const std::string& state) {
  json notes = notes_;
  Restamp(&notes["inputs"], GrowingInput());
  notes["fixed"] = run.fixed ? run.fixed() : json();
  notes["state"] = state.empty() ? json() : json::parse(state);
  copy.write(*folder_, progress, notes.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::unique_ptr<BackgroundSaver> RunCheckpoints::SaverOf(Run run) {
  if (!on() && !plan_.saves_models) return nullptr;
  BackgroundSaver::Steps steps;
  steps.any_moment = plan_.asynchronous;
  steps.failed = RequestStop;
  steps.minibatches_before = last_ ? last_->folded.size() : 0;
  if (run.state) steps.notes = [state = run.state] { return state().dump(); };
  steps.copy = [this, run] {
    const PosteriorCopy copy = run.copy();
    auto write = [this, run, copy, progress = run.progress(copy.folded)](const std::string& state) {
      if (on()) WriteCheckpoint(run, copy, progress, state);
      if (plan_.saves_models) run.save_model(copy, progress);
    };
    return BackgroundSaver::Copy{copy.folded.size(), std::move(write)};
  };
  return std::make_unique<BackgroundSaver>(SaveOptionsOf(plan_.every), std::move(steps));
}

}  // namespace sda
