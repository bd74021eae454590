#include "fit_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <utility>

#include "command.h"
#include "data/line_reader.h"
#include "data/safe_file.h"
#include "data/utf8.h"
#include "sda/program.h"

namespace sda {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::array kOfCheckpoints = {"--checkpoint", "--checkpoint-every", "--resume"};
constexpr std::array kWithoutEffect = {"--output", "--threads", "--report", "--json"};

template <class Names>
bool IsOneOf(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<const CLI::Option*> AllOptions(const CLI::App& command) {
  std::vector<const CLI::Option*> all = command.get_options();
  for (const CLI::App* group : command.get_subcommands([](const CLI::App*) { return true; })) {
    for (const CLI::Option* option : group->get_options()) all.push_back(option);
  }
  return all;
}

std::string Joined(const std::vector<std::string>& values) {
  std::string joined;
  for (const std::string& value : values) joined += (joined.empty() ? "" : ",") + value;
  return joined;
}

// The options that make the result what it is: the value given, or else the default as far as it is
// known; empty if neither.
std::map<std::string, std::string> ValuesOf(const CLI::App& command) {
  std::map<std::string, std::string> values;
  for (const CLI::Option* option : AllOptions(command)) {
    const std::string name = option->get_name();
    if (name == "--help" || IsOneOf(kOfCheckpoints, name) || IsOneOf(kWithoutEffect, name))
      continue;
    const std::string value =
        option->count() > 0 ? Joined(option->results()) : option->get_default_str();
    if (!value.empty()) values[name] = value;
  }
  return values;
}

// What a change of a file is told by: cheap, however large the file is.
json StampOf(const std::string& path, size_t bytes) {
  std::ifstream in(path, std::ios::binary);
  std::string head(bytes, '\0');
  in.read(head.data(), static_cast<std::streamsize>(bytes));
  head.resize(static_cast<size_t>(in.gcount()));
  return {{"path", path},
          {"size", fs::file_size(path)},
          {"head_bytes", head.size()},
          {"head_checksum", Checksum(head)}};
}

constexpr size_t kHeadBytes = size_t{1} << 16;

void CheckStamp(const json& earlier, bool may_grow, const std::string& folder) {
  const std::string path = earlier.at("path").get<std::string>();
  auto fail = [&](const std::string& what) {
    throw std::runtime_error(
        fmt::format("{}: {} since the checkpoint; a run goes on only with the data it began with "
                    "(to begin anew, remove {})",
                    path, what, folder));
  };
  if (!fs::exists(path)) throw std::runtime_error(path + ": cannot open: no such file");
  const json now = StampOf(path, earlier.at("head_bytes").get<size_t>());
  if (now.at("size") < earlier.at("size")) {
    fail(fmt::format("has shrunk from {} to {} bytes", earlier.at("size").get<uint64_t>(),
                     now.at("size").get<uint64_t>()));
  }
  if (now.at("head_checksum") != earlier.at("head_checksum")) fail("has changed");
  if (!may_grow && now.at("size") > earlier.at("size")) {
    fail("has grown (only the last of the inputs may)");
  }
}

// Files that have grown are known better than before.
void Restamp(json* stamps) {
  for (json& stamp : *stamps) {
    const std::string path = stamp.at("path").get<std::string>();
    std::error_code error;
    if (stamp.at("head_bytes").get<size_t>() < kHeadBytes && fs::exists(path, error)) {
      stamp = StampOf(path, kHeadBytes);
    }
  }
}

void CheckRereadable(const std::vector<std::string>& inputs) {
  for (const std::string& path : inputs) {
    std::error_code ignored;
    if (path != "-" && (fs::is_regular_file(path, ignored) || !fs::exists(path, ignored))) continue;
    throw std::invalid_argument(
        (path == "-" ? "standard input" : path) +
        ": cannot be read again from where a run was killed, so --checkpoint is of no use; write "
        "the stream to a file (such as with tee -a FILE) and fit that");
  }
}

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

std::optional<Checkpoint> LoadLast(CheckpointFolder* folder) {
  std::vector<std::string> damage;
  auto last = folder->LoadLast(&damage);
  for (const std::string& line : damage) Say(line + "; the checkpoint before it is used");
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
    throw std::runtime_error(checkpoint.path + ": is not a checkpoint of sda fit: " + e.what());
  }
}

}  // namespace

std::vector<std::string> ArgumentsOf(const CLI::App& command) {
  std::vector<std::string> arguments;
  std::vector<std::string> inputs;
  for (const CLI::Option* option : AllOptions(command)) {
    const std::string name = option->get_name();
    if (name == "INPUT") inputs = option->results();
    if (!name.starts_with("--") || IsOneOf(kOfCheckpoints, name)) continue;
    for (const std::string& value : option->results()) arguments.push_back(name + "=" + value);
  }
  arguments.push_back("--");
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  return arguments;
}

std::vector<std::string> StoredArguments(const FitFlags& flags, const CLI::App& command) {
  CheckpointFolder folder(flags.checkpoint);
  const auto last = LoadLast(&folder);
  if (!last) {
    throw std::invalid_argument(flags.checkpoint +
                                ": there is no checkpoint, so INPUT and --output are required");
  }
  const json notes = NotesOf(*last);
  const std::string directory = notes.at("directory").get<std::string>();
  if (directory != fs::current_path().string()) {
    throw std::invalid_argument(flags.checkpoint + ": the run was started in " + directory +
                                "; go on from there, or give all options again");
  }
  std::vector<std::string> arguments;
  std::vector<std::string> given_names;
  for (const CLI::Option* option : AllOptions(command)) {
    const std::string name = option->get_name();
    if (option->count() == 0) continue;
    if (!IsOneOf(kOfCheckpoints, name) && !IsOneOf(kWithoutEffect, name)) {
      throw std::invalid_argument(name + " is given, but not INPUT: give all options, or none");
    }
    given_names.push_back(name);
    for (const std::string& value : option->results()) arguments.push_back(name + "=" + value);
  }
  for (const json& stored : notes.at("arguments")) {
    const std::string argument = stored.get<std::string>();
    if (!IsOneOf(given_names, argument.substr(0, argument.find('='))))
      arguments.push_back(argument);
  }
  return arguments;
}

std::exception_ptr FailureOfLast(BackgroundSaver* saver) {
  try {
    saver->Finish();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

void SaveInSpiteOf(const std::exception_ptr& failure, const std::function<void()>& save) {
  try {
    save();
  } catch (...) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const std::exception& e) {
      Say(std::string("sda: ") + e.what());
    }
    throw;
  }
}

FitCheckpoints::FitCheckpoints(const FitFlags& flags, const CLI::App& command) : flags_(flags) {
  if (flags.checkpoint.empty()) {
    SaveOptionsOf(flags.checkpoint_every);
    if (flags.resume || (!flags.checkpoint_every.empty() && !flags.follow)) {
      throw std::invalid_argument(std::string(flags.resume ? "--resume" : "--checkpoint-every") +
                                  " needs --checkpoint DIR");
    }
    return;
  }
  SaveOptionsOf(flags.checkpoint_every);
  CheckRereadable(flags.inputs);
  CheckUtf8(ArgumentsOf(command));
  folder_ = std::make_unique<CheckpointFolder>(flags.checkpoint);
  if (!folder_->empty() && !flags.resume) {
    throw std::invalid_argument(flags.checkpoint +
                                ": holds checkpoints of an earlier run; go on "
                                "from them with --resume, or remove the folder");
  }
  notes_ = {{"arguments", ArgumentsOf(command)},
            {"directory", fs::current_path().string()},
            {"values", ValuesOf(command)},
            {"inputs", json::array()}};
  last_ = LoadLast(folder_.get());
  if (last_) {
    const json earlier = NotesOf(*last_);
    CheckSame(earlier);
    notes_["inputs"] = earlier.at("inputs");
    notes_["fixed"] = earlier.at("fixed");
    state_ = earlier.at("state");
    const uint64_t items = last_->progress.total().items;
    Say(fmt::format("going on from {}, after {} {}", last_->path, Grouped(items),
                    flags.model == "lda" ? "documents" : "rows"));
    return;
  }
  if (flags.resume) Say(flags.checkpoint + ": no checkpoint yet; starting at the beginning");
  std::vector<std::string> files = flags.inputs;
  if (flags.follow) files.pop_back();  // the position in it says which file it is
  for (const std::string& file : {flags.holdout, flags.vocabulary, flags.stop_words}) {
    if (!file.empty() && fs::is_regular_file(file)) files.push_back(file);
  }
  for (const std::string& file : files) {
    if (fs::exists(file)) notes_["inputs"].push_back(StampOf(file, kHeadBytes));
  }
}

void FitCheckpoints::CheckSame(const json& earlier) const {
  const auto before = earlier.at("values").get<std::map<std::string, std::string>>();
  const auto now = notes_.at("values").get<std::map<std::string, std::string>>();
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
        differences, flags_.checkpoint));
  }
  for (const json& stamp : earlier.at("inputs")) {
    CheckStamp(stamp, !flags_.follow && stamp.at("path") == flags_.inputs.back(),
               flags_.checkpoint);
  }
}

void FitCheckpoints::WriteCheckpoint(const Run& run, const PosteriorCopy& copy,
                                     const Progress& progress, const std::string& state) {
  json notes = notes_;
  Restamp(&notes["inputs"]);
  notes["fixed"] = run.fixed();
  notes["state"] = state.empty() ? json() : json::parse(state);
  copy.write(*folder_, progress, notes.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::unique_ptr<BackgroundSaver> FitCheckpoints::SaverOf(Run run) {
  if (!on() && !flags_.follow) return nullptr;
  BackgroundSaver::Steps steps;
  steps.any_moment = flags_.schedule == Schedule::kAsynchronous;
  steps.failed = RequestStop;
  steps.minibatches_before = last_ ? last_->folded.size() : 0;
  if (run.state) steps.notes = [state = run.state] { return state().dump(); };
  steps.copy = [this, run] {
    const PosteriorCopy copy = run.copy();
    auto write = [this, run, copy, progress = run.progress(copy.folded)](const std::string& state) {
      if (on()) WriteCheckpoint(run, copy, progress, state);
      if (flags_.follow) run.save_model(copy, progress);
    };
    return BackgroundSaver::Copy{copy.folded.size(), std::move(write)};
  };
  return std::make_unique<BackgroundSaver>(SaveOptionsOf(flags_.checkpoint_every),
                                           std::move(steps));
}

}  // namespace sda
