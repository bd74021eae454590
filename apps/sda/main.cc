#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "help/suggestions.h"
#include "sda/errors.h"
#include "ui/command.h"
#include "ui/common_options.h"
#include "ui/config_file.h"
#include "ui/escaped_output.h"
#include "ui/flags.h"

namespace {

constexpr int kFailed = 1;
constexpr int kBadUsage = 2;

int Complain(const std::string& message, int status) {
  sda::SayError(message);
  return status;
}

// Who closes a pipe early, as head does, has seen enough: that needs no words.
int OutputFailed(int error) {
  if (error == EPIPE) return kFailed;
  return Complain("cannot write to standard output: " + std::generic_category().message(error),
                  kFailed);
}

// The status of the program: what was printed must have arrived, whatever printed it.
int StatusAfterOutput(int status) {
  if (status != 0) return status;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  return OutputFailed(errno);
}

// Files that are opened must not get the numbers of standard streams that are closed: what is
// printed would be written to them. Whoever uses such a stream finds that it fails, as it should.
void ReserveStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) std::_Exit(kFailed);
  }
}

void AddCommands(CLI::App* app) {
  app->set_version_flag("--version", "sda " SDA_VERSION);
  app->require_subcommand(1);
  app->get_formatter()->column_width(34);
  sda::AddFit(app);
  sda::AddShow(app);
  sda::AddPredict(app);
  sda::AddTopics(app);
  sda::AddInfer(app);
  sda::AddEval(app);
  sda::AddReport(app);
  sda::AddExport(app);
  sda::AddCompare(app);
  sda::AddCluster(app);
  sda::AddDemo(app);
  sda::AddHelp(app);
  sda::AddCommonOptions(app);
  sda::CheckWholeNumbers(app);
}

// Calls run, and says what goes wrong: of an option from a file, with its place there.
int StatusOf(const CLI::App& app, const std::function<std::string(const std::string&)>& place_of,
             const std::function<void()>& run) {
  try {
    run();
    return 0;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    std::string name = "sda";
    for (auto called = app.get_subcommands(); !called.empty();
         called = called[0]->get_subcommands()) {
      name += " " + called[0]->get_name();
    }
    const std::string unknown = sda::UnknownArgument(app);
    const std::string message = unknown.empty() ? e.what() : unknown;
    const std::string place = unknown.empty() ? place_of(message) : "";
    return Complain(fmt::format("{}{} (see {} --help)", place, message, name), kBadUsage);
  } catch (const sda::UsageError& e) {
    return Complain(place_of(e.what()) + e.what(), kBadUsage);
  } catch (const std::bad_alloc&) {
    return Complain("out of memory", kFailed);
  } catch (const std::system_error& e) {
    if (std::ferror(stdout) != 0) return OutputFailed(e.code().value());
    const bool thread = e.code() == std::errc::resource_unavailable_try_again;
    return Complain(
        thread ? "cannot start a thread: too little memory, or too many threads" : e.what(),
        kFailed);
  } catch (const std::exception& e) {
    return Complain(e.what(), kFailed);
  }
}

int Main(int argc, char** argv) {
  sda::EscapeStandardOutput();
  CLI::App app("Streaming, distributed, asynchronous Bayesian inference.", "sda");
  AddCommands(&app);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::vector<std::string> given = arguments;
  std::optional<sda::ConfigFile> config;
  const auto place_of = [&](const std::string& message) {
    return config ? config->PlaceOf(message, given) : "";
  };
  return StatusOf(app, place_of, [&] {
    if (const std::string path = sda::ConfigFileIn(given); !path.empty()) {
      sda::ConfigFile read(path, &app);
      const auto further = read.ArgumentsFor(given);
      // Behind the commands, and before what may be the end of all options.
      const auto end = std::find(arguments.begin(), arguments.end(), "--");
      arguments.insert(end, further.begin(), further.end());
      config = std::move(read);
    }
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes the last one first
    app.parse(std::move(arguments));
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is an error of write(), with a message
  ReserveStandardStreams();
  return StatusAfterOutput(Main(argc, argv));
}
