#include "compare/compare_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <system_error>

#include "base/file_reader.h"
#include "sda/errors.h"
#include "ui/command.h"

namespace sda {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kScratch = "runs/tmp";  // output of a run, which may end at any time
constexpr const char* kModel = "runs/tmp/model";
constexpr const char* kReport = "runs/tmp/report.json";
constexpr auto kTick = std::chrono::milliseconds(10);

// Empty if there is no such file.
std::string ReadText(const std::string& path) {
  if (!fs::exists(path)) return "";
  const FileReader file(path);
  return file.Read(0, file.size());
}

std::string LastLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.find_last_of("\r\n") + 1);
}

// The child's half: becomes this program. Only what is safe after fork().
[[noreturn]] void Become(char** arguments, const char* folder, const char* log) {
  setpgid(0, 0);                     // Ctrl-C goes to the parent, which ends this process
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // it must not outlive the parent
  const int nothing = open("/dev/null", O_RDWR);
  unlink(log);  // what is there may be a link or a pipe
  const int messages = open(log, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (nothing < 0 || messages < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
      dup2(nothing, STDOUT_FILENO) < 0 || dup2(messages, STDERR_FILENO) < 0 || chdir(folder) != 0) {
    _exit(127);
  }
  execv("/proc/self/exe", arguments);
  _exit(127);
}

pid_t Start(const std::vector<std::string>& command, const std::string& folder,
            const std::string& log) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) Become(arguments.data(), folder.c_str(), log.c_str());
  if (child < 0) {
    throw IoError("cannot start a run: " + std::generic_category().message(errno));
  }
  return child;
}

struct Ended {
  int status = 0;
  rusage usage = {};
};

// Nothing if tick ended it.
std::optional<Ended> WaitFor(pid_t child, const std::function<bool()>& tick) {
  Ended ended;
  while (true) {
    const pid_t result = wait4(child, &ended.status, WNOHANG, &ended.usage);
    if (result == child) return ended;
    if (result < 0 && errno != EINTR) {
      throw IoError("lost a run: " + std::generic_category().message(errno));
    }
    if (!tick()) break;
    const timespec pause = {0, std::chrono::nanoseconds(kTick).count()};
    nanosleep(&pause, nullptr);
  }
  kill(child, SIGKILL);
  wait4(child, &ended.status, 0, &ended.usage);
  return std::nullopt;
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

RunResult ResultOf(const std::string& name, const Json& kept) {
  const Json& report = kept.at("report");
  RunResult result;
  result.name = name;
  result.score = report.at("log_predictive_probability").get<double>();
  result.score_error = report.at("log_predictive_interval").at(1).get<double>() - result.score;
  result.test_tokens = report.at("test_tokens").get<uint64_t>();
  result.documents = report.at("documents").get<uint64_t>();
  result.eta = report.at("model").at("eta").get<double>();
  result.wall_seconds = kept.at("wall_seconds").get<double>();
  result.cpu_seconds = kept.at("cpu_seconds").get<double>();
  result.peak_bytes = report.at("peak_rss_bytes").get<uint64_t>();
  for (const Json& point : report.at("curve")) {
    result.curve.push_back({point.at("documents").get<uint64_t>(),
                            point.at("seconds").get<double>(),
                            point.at("log_predictive_probability").get<double>()});
  }
  return result;
}

}  // namespace

Runner::Runner(std::string folder, std::function<std::string(const std::string&)> hash_of)
    : folder_(std::move(folder)), hash_of_(std::move(hash_of)) {
  fs::create_directories(folder_ + "/runs");
}

std::string Runner::PathOf(const RunSettings& settings, const char* suffix) const {
  return folder_ + "/runs/" + settings.Name() + suffix;
}

std::optional<RunResult> Runner::Earlier(const RunSettings& settings) const {
  const Json kept = Json::parse(ReadText(PathOf(settings, ".json")), nullptr, false);
  if (kept.is_discarded()) return std::nullopt;
  try {
    if (kept.at("arguments").get<std::vector<std::string>>() != settings.Arguments() ||
        kept.at("corpus").get<std::string>() != hash_of_(settings.corpus) ||
        kept.at("version").get<std::string>() != SDA_VERSION) {
      return std::nullopt;
    }
    return ResultOf(settings.Name(), kept);
  } catch (const Json::exception&) {
    return std::nullopt;  // not written by this program
  }
}

std::optional<RunResult> Runner::Run(const RunSettings& settings,
                                     const std::function<bool()>& tick) {
  const std::vector<std::string> arguments = settings.Arguments();
  std::vector<std::string> command = {"sda", "fit"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.insert(command.end(), {"-o", kModel, "--report", kReport});
  const std::string log = PathOf(settings, ".log"), scratch = folder_ + "/" + kScratch;
  fs::remove_all(scratch);
  fs::create_directory(scratch);

  const auto start = std::chrono::steady_clock::now();
  const std::optional<Ended> ended = WaitFor(Start(command, folder_, log), tick);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const std::string report = ReadText(folder_ + "/" + kReport);
  fs::remove_all(scratch);
  if (!ended) {
    fs::remove(log);
    return std::nullopt;
  }
  Json kept = {{"arguments", arguments},
               {"command", "sda " + ShellCommand({command.begin() + 1, command.end()})},
               {"corpus", hash_of_(settings.corpus)},
               {"version", SDA_VERSION},
               {"wall_seconds", wall.count()},
               {"cpu_seconds", Seconds(ended->usage.ru_utime) + Seconds(ended->usage.ru_stime)}};
  kept["report"] = Json::parse(report, nullptr, false);
  RunResult result;
  try {
    if (!WIFEXITED(ended->status) || WEXITSTATUS(ended->status) != 0) {
      throw IoError(LastLine(ReadText(log)));
    }
    result = ResultOf(settings.Name(), kept);
    WriteTextFile(PathOf(settings, ".json"), Dump(kept) + "\n");
    fs::remove(log);
  } catch (const std::exception& e) {
    result.name = settings.Name();
    result.error = fmt::format("{} (see {})", e.what(), log);
  }
  return result;
}

}  // namespace sda
