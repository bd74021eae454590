#include "sda/program.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/model_file.h"
#include "base/text.h"
#include "core/program_options.h"
#include "core/run_checkpoints.h"

namespace sda {

using nlohmann::json;

namespace {

// The options as their names and values; what was not given is empty.
struct Given {
  std::string schedule, worker_prior;
  std::optional<int> workers;
  std::optional<double> half_life;
  int threads = 0;
};

void AddOptions(CLI::App* app, Given* given, ProgramOptions* options) {
  app->add_option("--schedule", given->schedule, "serial (default), sync or async")
      ->check(CLI::IsMember(ScheduleNames()).description(""))
      ->type_name("NAME");
  app->add_option("--workers", given->workers, "Minibatches in work at once (sync, async)");
  app->add_option("--worker-prior", given->worker_prior,
                  "What async workers start from: latest (default) or fixed")
      ->check(CLI::IsMember(WorkerPriorNames()).description(""))
      ->type_name("NAME");
  app->add_option("--threads", given->threads, "Threads to compute with; 0: all cores");
  app->add_option("--minibatch", options->minibatch, "Items per round over all workers (1000)")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}).description(""));
  app->add_option("--half-life", given->half_life,
                  "Forget: items after which what was learnt counts half");
  app->add_option("--report", options->report, "Write what the run did to this file, as JSON");
  app->add_option("--checkpoint", options->checkpoint,
                  "Folder to save the run to as it goes, to survive any end of it");
  app->add_option("--checkpoint-every", options->checkpoint_every,
                  "Seconds (default 30s) or minibatches between checkpoints");
  app->add_flag("--resume", options->resume,
                "Resume from the last checkpoint, or start if there is none; with --checkpoint "
                "alone: with the options that the run began with");
  app->add_option("INPUT", options->arguments, "Arguments of the program");
}

void Apply(const Given& given, ProgramOptions* options) {
  RunOptions& run = options->run;
  if (!given.schedule.empty()) run.schedule = ScheduleNames().at(given.schedule);
  if (!given.worker_prior.empty()) run.worker_prior = WorkerPriorNames().at(given.worker_prior);
  if (given.workers) run.workers = *given.workers;
  if (given.half_life) {
    run.discount = HalfLife(*given.half_life);
    options->values["half_life"] = fmt::format("{}", *given.half_life);
  }
}

}  // namespace

json ToJson(const ProgramOptions& options) {
  json out = options.values;
  out["schedule"] = NameOf(options.run.schedule);
  out["workers"] = options.run.workers;
  out["worker_prior"] = NameOf(options.run.worker_prior);
  out["minibatch"] = options.minibatch;
  out["inputs"] = options.arguments;
  return out;
}

namespace {

void FromJson(json stored, ProgramOptions* options) {
  options->run.schedule = ScheduleNames().at(stored.at("schedule"));
  options->run.workers = stored.at("workers");
  options->run.worker_prior = WorkerPriorNames().at(stored.at("worker_prior"));
  options->minibatch = stored.at("minibatch");
  options->arguments = stored.at("inputs").get<std::vector<std::string>>();
  for (const char* key : {"schedule", "workers", "worker_prior", "minibatch", "inputs"}) {
    stored.erase(key);
  }
  options->values = stored.get<std::map<std::string, std::string>>();
  const auto half_life = options->values.find("half_life");
  if (half_life != options->values.end()) {
    options->run.discount = HalfLife(std::stod(half_life->second));
  }
}

Context ContextOf(int threads) {
  const auto signals = std::make_shared<StopOnSignals>();
  return Context(threads, signals->token(), [signals](const std::string& line) {
    std::fputs((Shown(line) + "\n").c_str(), stderr);
  });
}

// Options that decide nothing about the result.
bool OnlyOfCheckpoints(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const bool free = name == "--checkpoint" || name == "--checkpoint-every" ||
                      name == "--resume" || name == "--threads" || name == "--report";
    if (option->count() > 0 && !free) return false;
  }
  return true;
}

}  // namespace

ProgramOptions ParseProgramOptions(int argc, const char* const* argv) {
  ProgramOptions options;
  Given given;
  CLI::App app;
  AddOptions(&app, &given, &options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    throw UsageError(e.what());
  }
  options.context = ContextOf(given.threads);
  Apply(given, &options);
  if (options.resume && !options.checkpoint.empty() && OnlyOfCheckpoints(app)) {
    if (const auto stored = ReadStoredOptions(options.checkpoint, options.context)) {
      try {
        FromJson(stored->options, &options);
      } catch (const std::exception& e) {
        throw InputError(options.checkpoint + ": its options cannot be read: " + e.what());
      }
    }
  }
  options.run.Validate();
  return options;
}

std::string ProgramOptionsHelp() {
  ProgramOptions options;
  Given given;
  CLI::App app;
  AddOptions(&app, &given, &options);
  return app.help();
}

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
