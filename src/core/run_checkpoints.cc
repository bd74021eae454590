#include "core/run_checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/parse_json.h"
#include "base/text.h"
#include "base/utf8.h"
#include "core/input_stamps.h"
#include "sda/errors.h"

namespace sda {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int kVersion = 1;  // of the notes

// A checkpoint notes the options, the names of files among them, as text.
void CheckUtf8(const json& value) {
  if (value.is_structured()) {
    for (const json& part : value) CheckUtf8(part);
  }
  if (!value.is_string() || IsValidUtf8(value.get<std::string>())) return;
  throw UsageError(Quoted(value.get<std::string>()) +
                   " is not UTF-8, so that no checkpoint can hold this name to resume from it; "
                   "rename the file, or make a link to it (ln -s)");
}

std::optional<Checkpoint> LoadLast(CheckpointFolder* folder, const Context& context) {
  std::vector<std::string> damage;
  auto last = folder->LoadLast(&damage);
  for (const std::string& line : damage) context.Log(line + "; the checkpoint before it is used");
  return last;
}

[[noreturn]] void FailNotes(const Checkpoint& checkpoint, const json::exception& e) {
  throw InputError(checkpoint.path + ": is not a checkpoint of such a run: " + e.what());
}

json NotesOf(const Checkpoint& checkpoint) {
  try {
    json notes = ParseJson(checkpoint.notes);
    const int version = notes.at("version").get<int>();
    if (version != kVersion) {
      throw InputError(fmt::format(
          "{}: has options of version {}, this program knows version {}; finish the run with the "
          "version of sda that began it, or remove the folder to start again",
          checkpoint.path, version, kVersion));
    }
    for (const char* key :
         {"kind", "options", "settings", "directory", "inputs", "fixed", "state"}) {
      notes.at(key);
    }
    return notes;
  } catch (const json::exception& e) {
    FailNotes(checkpoint, e);
  }
}

// A value in a message.
std::string Shown(const json& value) {
  if (value.is_null()) return "not given";
  if (value.is_array()) {
    std::string list;
    for (const json& item : value) list += (list.empty() ? "" : ",") + Shown(item);
    return list.empty() ? "not given" : list;
  }
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  return text.empty() ? "not given" : text;
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
    if (parsed.ec == std::errc() && parsed.ptr + 1 == end && options.seconds > 0 &&
        std::isfinite(options.seconds))
      return options;
  } else {
    parsed = std::from_chars(every.data(), end, options.minibatches);
    if (parsed.ec == std::errc() && parsed.ptr == end && options.minibatches > 0) return options;
  }
  throw UsageError("--checkpoint-every is " + every +
                   ", must be seconds, such as 30s, or a number of minibatches");
}

std::optional<StoredOptions> ReadStoredOptions(const std::string& folder, const Context& context) {
  if (!fs::is_directory(folder)) return std::nullopt;
  CheckpointFolder checkpoints(folder);
  const auto last = LoadLast(&checkpoints, context);
  if (!last) return std::nullopt;
  const json notes = NotesOf(*last);
  const std::string directory = notes.at("directory").get<std::string>();
  if (directory != fs::current_path().string()) {
    throw UsageError(folder + ": the run was started in " + directory +
                     "; resume it from there, or give all options again");
  }
  return StoredOptions{notes.at("kind").get<std::string>(), notes.at("options"),
                       notes.at("settings")};
}

RunCheckpoints::RunCheckpoints(CheckpointPlan plan) : plan_(std::move(plan)), every_(plan_.every) {
  SaveOptionsOf(every_);
  if (plan_.folder.empty()) {
    if (plan_.resume || (!plan_.every.empty() && !plan_.saves_models)) {
      throw UsageError(std::string(plan_.resume ? "--resume" : "--checkpoint-every") +
                       " needs --checkpoint DIR");
    }
    return;
  }
  CheckRereadable(plan_.inputs);
  CheckUtf8(plan_.options);
  CheckUtf8(plan_.settings);
  CheckUtf8(fs::current_path().string());
  folder_ = std::make_unique<CheckpointFolder>(plan_.folder);
  if (!folder_->empty() && !plan_.resume) {
    throw UsageError(plan_.folder +
                     ": holds checkpoints of an earlier run; resume "
                     "from them with --resume, or remove the folder");
  }
  notes_ = {{"version", kVersion},
            {"kind", plan_.kind},
            {"options", plan_.options},
            {"settings", plan_.settings},
            {"directory", fs::current_path().string()}};
  last_ = LoadLast(folder_.get(), plan_.context);
  if (last_) {
    TakeNotes(NotesOf(*last_));
    begun_ = last() != nullptr;
    if (!begun_) start_ = last_->progress.position;
    plan_.context.Log(begun_ ? fmt::format("resuming from {}, after {} {}", last_->path,
                                           Grouped(last_->progress.total().items), plan_.items_name)
                             : fmt::format("{}: nothing was learnt yet; starting where the run "
                                           "began",
                                           plan_.folder));
    return;
  }
  if (plan_.resume) {
    plan_.context.Log(plan_.folder + ": no checkpoint yet; starting at the beginning");
  }
  std::vector<std::string> files = plan_.inputs;
  if (plan_.start) files.pop_back();
  files.insert(files.end(), plan_.other_files.begin(), plan_.other_files.end());
  notes_["inputs"] = StampsOf(files);
  notes_["fixed"] = json();
  if (plan_.start) KeepStart(plan_.start());
}

void RunCheckpoints::TakeNotes(const json& earlier) {
  try {
    CheckSame(earlier);
    const json& settings = earlier.at("settings");
    if (every_.empty() && settings.is_object()) every_ = settings.value("checkpoint_every", "");
  } catch (const json::exception& e) {
    FailNotes(*last_, e);
  }
  if (!every_.empty()) notes_["settings"]["checkpoint_every"] = every_;
  notes_["inputs"] = earlier.at("inputs");
  notes_["fixed"] = earlier.at("fixed");
  state_ = earlier.at("state");
}

void RunCheckpoints::KeepStart(const std::string& position) {
  std::lock_guard lock(mutex_);
  if (begun_ || position == start_) return;
  Progress progress;
  progress.position = position;
  json notes = notes_;
  notes["state"] = json();
  folder_->WriteStart(progress, notes.dump(-1, ' ', false, json::error_handler_t::replace));
  start_ = position;
}

void RunCheckpoints::CheckSame(const json& earlier) const {
  if (earlier.at("kind") != plan_.kind) {
    throw UsageError(fmt::format("{}: holds checkpoints of another kind of run ({}, not {})",
                                 plan_.folder, earlier.at("kind").get<std::string>(), plan_.kind));
  }
  std::string differences;
  auto compare = [&](const std::string& name, const json& was, const json& is) {
    if (was == is) return;
    differences += fmt::format("{}{} was {}, now {}", differences.empty() ? "" : "; ",
                               name == "inputs" ? "INPUT" : FlagOf(name), Shown(was), Shown(is));
  };
  const json& before = earlier.at("options");
  for (const auto& [name, value] : before.items()) {
    compare(name, value, plan_.options.value(name, json()));
  }
  for (const auto& [name, value] : plan_.options.items()) {
    if (!before.contains(name)) compare(name, json(), value);
  }
  if (!differences.empty()) {
    throw UsageError(fmt::format(
        "{}; a run resumes only with the options it began with (to start again, remove {})",
        differences, plan_.folder));
  }
  CheckStamps(earlier.at("inputs"), GrowingInput(), plan_.folder);
}

std::string RunCheckpoints::GrowingInput() const {
  return plan_.inputs.empty() || plan_.start ? "" : plan_.inputs.back();
}

void RunCheckpoints::WriteCheckpoint(const Run& run, const PosteriorCopy& copy,
                                     const Progress& progress, const std::string& state) {
  json notes = notes_;
  Restamp(&notes["inputs"], GrowingInput());
  notes["fixed"] = run.fixed ? run.fixed() : json();
  notes["state"] = state.empty() ? json() : json::parse(state);
  std::lock_guard lock(mutex_);
  begun_ = true;
  copy.write(*folder_, progress, notes.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::unique_ptr<BackgroundSaver> RunCheckpoints::SaverOf(Run run) {
  if (!on() && !plan_.saves_models) return nullptr;
  BackgroundSaver::Steps steps;
  steps.any_moment = plan_.asynchronous;
  steps.failed = [context = plan_.context] { context.RequestStop(); };
  steps.minibatches_before = last() ? last()->folded.size() : run.minibatches_before;
  if (run.state) steps.notes = [state = run.state] { return state().dump(); };
  steps.copy = [this, run] {
    const PosteriorCopy copy = run.copy();
    auto write = [this, run, copy, progress = run.progress(copy.folded)](const std::string& state) {
      if (on()) WriteCheckpoint(run, copy, progress, state);
      if (plan_.saves_models) run.save_model(copy, progress);
    };
    return BackgroundSaver::Copy{copy.folded.size(), std::move(write)};
  };
  return std::make_unique<BackgroundSaver>(SaveOptionsOf(every_), std::move(steps));
}

}  // namespace sda
