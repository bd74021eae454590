#include "sda/program.h"

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "base/model_file.h"
#include "core/program_arguments.h"
#include "core/run_checkpoints.h"

namespace sda {
namespace {

std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

void OnSignal(int /*signal*/) { stop_requested.store(true, std::memory_order_relaxed); }

[[noreturn]] void Refuse(const std::string& option, const std::string& value,
                         const std::string& must_be) {
  throw std::invalid_argument(option + " is " + value + ", must be " + must_be);
}

template <class T>
T ToNumber(const std::string& option, const std::string& text) {
  T value = {};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    Refuse(option, "\"" + text + "\"", "a number");
  }
  return value;
}

void SetOption(const std::string& name, const std::string& value, ProgramOptions* options) {
  RunOptions& run = options->run;
  if (name == "--schedule") {
    if (value == "serial") {
      run.schedule = Schedule::kSerial;
    } else if (value == "sync") {
      run.schedule = Schedule::kSynchronous;
    } else if (value == "async") {
      run.schedule = Schedule::kAsynchronous;
    } else {
      Refuse(name, value, "serial, sync or async");
    }
  } else if (name == "--worker-prior") {
    if (value != "latest" && value != "fixed") Refuse(name, value, "latest or fixed");
    run.worker_prior = value == "fixed" ? WorkerPrior::kFixedPrior : WorkerPrior::kLatestPosterior;
  } else if (name == "--workers") {
    run.workers = ToNumber<int>(name, value);
  } else if (name == "--threads") {
    run.threads = ToNumber<int>(name, value);
  } else if (name == "--minibatch") {
    options->minibatch = ToNumber<uint64_t>(name, value);
    if (options->minibatch == 0) Refuse(name, value, "at least 1");
  } else if (name == "--half-life") {
    run.discount = HalfLife(ToNumber<double>(name, value));
  } else if (name == "--report") {
    options->report = value;
  } else if (name == "--checkpoint") {
    options->checkpoint = value;
  } else if (name == "--checkpoint-every") {
    options->checkpoint_every = value;
  } else {
    throw std::invalid_argument("there is no option " + name);
  }
}

// The options that the result depends on. All others may differ when a run goes on.
constexpr std::array kWithEffect = {"--schedule", "--workers", "--worker-prior", "--minibatch",
                                    "--half-life"};

bool HasEffect(const std::string& name) {
  return std::find(kWithEffect.begin(), kWithEffect.end(), name) != kWithEffect.end();
}

void Parse(const std::vector<std::string>& words, ProgramOptions* options) {
  bool options_end = false;
  for (size_t i = 0; i < words.size(); ++i) {
    if (options_end || !words[i].starts_with("--")) {
      options->arguments.push_back(words[i]);
    } else if (words[i] == "--") {
      options_end = true;
    } else if (words[i] == "--resume") {
      options->resume = true;
    } else {
      const size_t equals = words[i].find('=');
      const std::string name = words[i].substr(0, equals);
      if (equals == std::string::npos && i + 1 == words.size()) {
        throw std::invalid_argument(name + " needs a value");
      }
      const std::string value =
          equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
      SetOption(name, value, options);
      if (HasEffect(name)) options->values[name] = value;
    }
  }
  std::string all;
  for (const std::string& argument : options->arguments) {
    all += (all.empty() ? "" : ",") + argument;
  }
  if (!all.empty()) options->values["INPUT"] = all;
}

}  // namespace

std::vector<std::string> ArgumentsOf(const ProgramOptions& options) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : options.values) {
    if (HasEffect(name)) arguments.push_back(name + "=" + value);
  }
  if (options.run.threads != 0) {
    arguments.push_back("--threads=" + std::to_string(options.run.threads));
  }
  if (!options.report.empty()) arguments.push_back("--report=" + options.report);
  arguments.push_back("--");
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  return arguments;
}

ProgramOptions ParseProgramOptions(int argc, const char* const* argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  ProgramOptions options;
  Parse(words, &options);
  if (options.resume && !options.checkpoint.empty() && options.values.empty()) {
    if (const auto stored = StoredArguments(options.checkpoint, SayOnStderr)) {
      options = {};
      Parse(*stored, &options);
      Parse(words, &options);
    }
  }
  options.run.stop = StopOnInterrupt();
  options.run.Validate();
  return options;
}

const char* ProgramOptionsHelp() {
  return "  --schedule NAME       serial (default), sync or async\n"
         "  --workers P           minibatches in work at once (sync, async)\n"
         "  --worker-prior NAME   what async workers start from: latest (default) or fixed\n"
         "  --threads T           threads for the workers of a sync round\n"
         "  --minibatch S         items per round over all workers (1000)\n"
         "  --half-life N         forget: items after which what was learnt counts half\n"
         "  --report FILE         write what the run did to this file, as JSON\n"
         "  --checkpoint DIR      folder to save the run to as it goes, to survive any end of it\n"
         "  --checkpoint-every N  seconds (default 30s) or minibatches between checkpoints\n"
         "  --resume              go on from the last checkpoint, or begin if there is none; with\n"
         "                        --checkpoint alone: with the options that the run began with\n";
}

const std::atomic<bool>* StopOnInterrupt() {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_handler = OnSignal;
    action.sa_flags = SA_RESETHAND;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    return true;
  }();
  (void)installed;
  return &stop_requested;
}

void RequestStop() { stop_requested.store(true, std::memory_order_relaxed); }

uint64_t PeakMemoryBytes() {
  // Not getrusage() first: its peak may be that of the program that started this one.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

void WriteReport(const std::string& path, const Summary& summary, const std::string& items_name) {
  auto report = nlohmann::ordered_json::parse(ToJson(summary, items_name));
  report["peak_rss_bytes"] = PeakMemoryBytes();
  const std::string text = report.dump(2) + "\n";
  WriteFile(path, {text});
}

}  // namespace sda
