#include "ui/command.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/model_file.h"
#include "base/safe_file.h"
#include "base/terminal_line.h"
#include "sda/errors.h"
#include "sda/program.h"
#include "tables/table_export.h"
#include "tables/table_fit.h"
#include "ui/colour.h"

namespace sda {

Context ProgramContext(int threads) {
  static const StopOnSignals signals;  // they belong to the process
  return Context(threads, signals.token(), Say);
}

void BlockHangUp() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

HangUpWatcher::HangUpWatcher(std::function<void()> on_hang_up)
    : thread_([on_hang_up = std::move(on_hang_up)](const std::stop_token& stop) {
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, SIGHUP);
        constexpr timespec kMoment = {0, 100'000'000};
        while (!stop.stop_requested()) {
          if (sigtimedwait(&signals, nullptr, &kMoment) == SIGHUP) on_hang_up();
        }
      }) {}

namespace {

// A number with so many digits; a posterior may have no mean or standard deviation.
std::string Cell(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "\u2014";
}

constexpr const char* kApproximate =
    "may hold the truth more or less often than 95 times in 100, see docs/uncertainty.md";

std::string WhatTheMarksMean(const std::vector<Estimate>& estimates) {
  bool heavy = false;
  bool constant = false;
  bool approximate = false;
  for (const Estimate& e : estimates) {
    // All of a distribution is at infinity: the precision of rows that are all equal.
    const bool infinite = !std::isfinite(e.lower) && !std::isfinite(e.upper);
    constant |= infinite;
    approximate |= e.approximate;
    heavy |= !infinite && (!std::isfinite(e.mean) || !std::isfinite(e.sd));
  }
  std::string note;
  if (constant) note += "\ninf: all values of the column are equal, so it has no spread\n";
  if (heavy) {
    note +=
        "\n\u2014: from so few rows there is none, the tails are too heavy; the interval is right "
        "all the same\n";
  }
  if (approximate) note += fmt::format("\napproximate: the interval {}\n", kApproximate);
  return note;
}

}  // namespace

std::string EstimatesTable(const std::vector<Estimate>& estimates) {
  size_t width = std::string_view("parameter").size();
  std::vector<std::string> names;
  for (const Estimate& e : estimates) {
    names.push_back(Shown(e.name));
    width = std::max(width, Columns(names.back()));
  }
  std::string out = fmt::format("{:<{}}  {:>12}  {:>12}  {:>12}  {:>12}\n", "parameter", width,
                                "mean", "sd", "2.5%", "97.5%");
  for (size_t i = 0; i < estimates.size(); ++i) {
    const Estimate& e = estimates[i];
    const std::string gap(width - Columns(names[i]), ' ');
    out += fmt::format("{}{}  {:>12}  {:>12}  {:>12.6g}  {:>12.6g}{}\n", names[i], gap,
                       Cell(e.mean, 6), Cell(e.sd, 4), e.lower, e.upper,
                       e.approximate ? "  approximate" : "");
  }
  return out;
}

std::string FitText(const TableFit& fit) {
  constexpr size_t kMostShown = 100;  // of the features of a classifier
  const TableSpec& spec = fit.spec();
  std::vector<Estimate> estimates = fit.Describe();
  std::string cut;
  if (spec.diagonal && estimates.size() > kMostShown) {
    std::stable_sort(estimates.begin(), estimates.end(), [](const Estimate& a, const Estimate& b) {
      return std::abs(a.mean) * b.sd > std::abs(b.mean) * a.sd;
    });
    cut = fmt::format(
        "\nthe {} furthest from 0 in standard deviations, of {}; all: sda show --json\n",
        kMostShown, Grouped(estimates.size()));
    estimates.resize(kMostShown);
  }
  std::string out = fmt::format("{} model after {}\n\n{}{}", Shown(spec.model),
                                Plural(spec.rows, "row", "rows"), EstimatesTable(estimates), cut);
  out += WhatTheMarksMean(estimates);
  for (const std::string& note : fit.Notes()) out += "\n" + Shown(note) + "\n";
  return out;
}

std::string FitJson(const TableFit& fit) { return TableModelJson(fit); }

void WriteTextFile(const std::string& path, const std::string& text) { WriteFile(path, {text}); }

std::string Dump(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

namespace {

bool quiet = false;

// What stands in the line of a terminal is progress.
std::string LineStart() {
  return isatty(STDERR_FILENO) == 1 ? std::string(kLineStart) + kEraseRest : "";
}

}  // namespace

void SetQuiet(bool value) { quiet = value; }
bool Quiet() { return quiet; }

void Say(const std::string& line) {
  if (!quiet) std::fputs((LineStart() + Shown(line) + "\n").c_str(), stderr);
}

void SayApproximate() { Say(fmt::format("the intervals are approximate: each {}", kApproximate)); }

void SayError(const std::string& message) {
  std::fputs((LineStart() + ErrorPrefix() + Shown(message) + "\n").c_str(), stderr);
}

Observer RunProgress(const std::string& items_name,
                     std::function<std::string(const Summary&)> details) {
  if (quiet) return {};
  return ShowProgress(stderr, items_name, std::move(details));
}

void CheckNotStopped(const Context& context) {
  if (context.StopRequested()) throw IoError("stopped; the output is not complete");
}

namespace {

// Whether there is something at path, which is the output or its folder. Throws for what cannot be
// told.
bool Exists(const std::string& path, const std::string& output, struct stat* info) {
  if (stat(path.c_str(), info) == 0) return true;
  if (errno == ENOENT) return false;
  throw IoError(output + ": cannot write: " + std::generic_category().message(errno));
}

}  // namespace

void CheckWritable(const std::string& path, const std::vector<std::string>& others) {
  namespace fs = std::filesystem;
  if (path.empty() || path == "-") {
    throw UsageError("output is \"" + path + "\", must be the name of a file");
  }
  std::error_code ignored;
  struct stat info;
  if (Exists(path, path, &info) && !S_ISREG(info.st_mode)) {
    throw IoError(path + ": is not an ordinary file, and will not be overwritten");
  }
  for (const std::string& other : others) {
    if (path == other || fs::equivalent(path, other, ignored)) {
      throw UsageError(path + ": is also an input or another output");
    }
  }
  const fs::path folder = fs::path(SafeFile::TargetOf(path)).parent_path();
  const std::string directory = folder.empty() ? "." : folder.string();
  if (!Exists(directory, path, &info) || !S_ISDIR(info.st_mode)) {
    throw IoError(path + ": there is no directory " + directory);
  }
  if (access(directory.c_str(), W_OK) != 0) {
    throw IoError(path + ": cannot write to " + directory + ": " +
                  std::generic_category().message(errno));
  }
}

void CheckReplaceable(const std::string& path, bool force) {
  struct stat info;
  if (force || stat(path.c_str(), &info) != 0 || info.st_size == 0) return;
  if (!ClaimedModel(path).empty()) return;
  throw UsageError(path + ": exists and is not a model of sda; --force overwrites it");
}

}  // namespace sda
