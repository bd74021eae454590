#include "ui/command.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/model_file.h"
#include "sda/errors.h"
#include "sda/program.h"
#include "tables/table_fit.h"

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

std::string HeavyTails(const std::vector<Estimate>& estimates) {
  const bool heavy = std::any_of(estimates.begin(), estimates.end(), [](const Estimate& e) {
    return !std::isfinite(e.mean) || !std::isfinite(e.sd);
  });
  return heavy
             ? "\n\u2014: from so few rows there is none, the tails are too heavy; the interval is "
               "right all the same\n"
             : "";
}

}  // namespace

std::string EstimatesTable(const std::vector<Estimate>& estimates) {
  size_t width = std::string_view("parameter").size();
  for (const Estimate& e : estimates) width = std::max(width, e.name.size());
  std::string out = fmt::format("{:<{}}  {:>12}  {:>12}  {:>12}  {:>12}\n", "parameter", width,
                                "mean", "sd", "2.5%", "97.5%");
  for (const Estimate& e : estimates) {
    out += fmt::format("{:<{}}  {:>12}  {:>12}  {:>12.6g}  {:>12.6g}\n", e.name, width,
                       Cell(e.mean, 6), Cell(e.sd, 4), e.lower, e.upper);
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
  std::string out = fmt::format("{} model after {} rows\n\n{}{}", spec.model, Grouped(spec.rows),
                                EstimatesTable(estimates), cut);
  out += HeavyTails(estimates);
  for (const std::string& note : fit.Notes()) out += "\n" + note + "\n";
  return out;
}

std::string FitJson(const TableFit& fit) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Estimate& e : fit.Describe()) {
    list.push_back(
        {{"name", e.name}, {"mean", e.mean}, {"sd", e.sd}, {"lower", e.lower}, {"upper", e.upper}});
  }
  nlohmann::ordered_json out = {{"model", fit.spec().model},
                                {"rows", fit.spec().rows},
                                {"interval", 0.95},
                                {"parameters", list}};
  const auto notes = fit.Notes();
  if (!notes.empty()) out["notes"] = notes;
  return Dump(out) + "\n";
}

void WriteTextFile(const std::string& path, const std::string& text) { WriteFile(path, {text}); }

std::string Dump(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void Say(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

void CheckNotStopped(const Context& context) {
  if (context.StopRequested()) throw IoError("stopped; the output is not complete");
}

void CheckWritable(const std::string& path, const std::vector<std::string>& others) {
  namespace fs = std::filesystem;
  if (path.empty() || path == "-") {
    throw UsageError("output is \"" + path + "\", must be the name of a file");
  }
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    throw IoError(path + ": is not an ordinary file, and will not be overwritten");
  }
  for (const std::string& other : others) {
    if (path == other || fs::equivalent(path, other, ignored)) {
      throw UsageError(path + ": is also an input or another output");
    }
  }
  const fs::path folder = fs::path(path).parent_path();
  const std::string directory = folder.empty() ? "." : folder.string();
  if (!fs::is_directory(directory, ignored)) {
    throw IoError(path + ": there is no directory " + directory);
  }
  if (access(directory.c_str(), W_OK) != 0) {
    throw IoError(path + ": cannot write to " + directory + ": " +
                  std::generic_category().message(errno));
  }
}

}  // namespace sda
