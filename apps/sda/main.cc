#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "sda/errors.h"
#include "ui/command.h"

namespace {

constexpr int kFailed = 1;
constexpr int kBadUsage = 2;

int Complain(const std::string& message, int status) {
  sda::Say("sda: " + message);
  return status;
}

int Main(int argc, char** argv) {
  CLI::App app("Streaming, distributed, asynchronous Bayesian inference.", "sda");
  app.set_version_flag("--version", "sda " SDA_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  sda::AddFit(&app);
  sda::AddShow(&app);
  sda::AddPredict(&app);
  sda::AddTopics(&app);
  sda::AddInfer(&app);
  sda::AddEval(&app);
  sda::AddExport(&app);
  sda::AddCompare(&app);
  sda::AddCluster(&app);
  sda::AddDemo(&app);
  try {
    app.parse(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return Complain("cannot write to standard output", kFailed);
    }
    return 0;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    const auto commands = app.get_subcommands();
    const std::string name = commands.empty() ? "sda" : "sda " + commands[0]->get_name();
    return Complain(fmt::format("{} (see {} --help)", e.what(), name), kBadUsage);
  } catch (const sda::UsageError& e) {
    return Complain(e.what(), kBadUsage);
  } catch (const std::bad_alloc&) {
    return Complain("out of memory", kFailed);
  } catch (const std::system_error& e) {
    const bool thread = e.code() == std::errc::resource_unavailable_try_again;
    return Complain(
        thread ? "cannot start a thread: too little memory, or too many threads" : e.what(),
        kFailed);
  } catch (const std::exception& e) {
    return Complain(e.what(), kFailed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is an error of write(), with a message
  return Main(argc, argv);
}
