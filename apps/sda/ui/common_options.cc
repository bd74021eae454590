#include "ui/common_options.h"

#include <string>
#include <vector>

#include "ui/command.h"

namespace sda {

void AddCommonOptions(CLI::App* app) {
  const auto commands = app->get_subcommands([](CLI::App* c) { return !c->get_name().empty(); });
  for (CLI::App* command : commands) AddCommonOptions(command);
  if (!commands.empty()) return;
  app->add_flag_callback(
      "-q,--quiet", [] { SetQuiet(true); },
      "No progress and no notices on standard error, only errors");
  // It is read before the command line is: see ConfigFile.
  app->add_option_function<std::string>(
      "--config", [](const std::string&) {},
      "Read further options from this file: lines NAME = VALUE, as topics = 20; a heading\n"
      "[COMMAND] is for one command; what is given here counts more");
}

}  // namespace sda
