#include "commands/fit_checkpoint.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "ui/command.h"

namespace sda {
namespace {

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

// The options that were given, as arguments that give them again; the inputs are last.
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

CheckpointPlan PlanOf(const FitFlags& flags, const CLI::App& command) {
  CheckpointPlan plan;
  plan.folder = flags.checkpoint;
  plan.every = flags.checkpoint_every;
  plan.resume = flags.resume;
  plan.asynchronous = flags.schedule == Schedule::kAsynchronous;
  plan.saves_models = flags.follow;
  plan.arguments = ArgumentsOf(command);
  plan.values = ValuesOf(command);
  plan.inputs = flags.inputs;
  for (const std::string& file : {flags.holdout, flags.vocabulary, flags.stop_words}) {
    if (!file.empty() && std::filesystem::is_regular_file(file)) plan.other_files.push_back(file);
  }
  plan.follows_last_input = flags.follow;
  plan.items_name = flags.model == "lda" ? "documents" : "rows";
  plan.say = Say;
  return plan;
}

}  // namespace

std::vector<std::string> ArgumentsToGoOn(const FitFlags& flags, const CLI::App& command) {
  const auto stored = StoredArguments(flags.checkpoint, Say);
  if (!stored) {
    throw std::invalid_argument(flags.checkpoint +
                                ": there is no checkpoint, so INPUT and --output are required");
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
  for (const std::string& argument : *stored) {
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

FitCheckpoints::FitCheckpoints(const FitFlags& flags, const CLI::App& command)
    : RunCheckpoints(PlanOf(flags, command)) {}

}  // namespace sda
