// `sda help` and `sda completion`.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "help/completion.h"
#include "help/man_page.h"
#include "help/option_table.h"
#include "help/suggestions.h"
#include "sda/errors.h"
#include "ui/command.h"
#include "ui/flags.h"

namespace sda {
namespace {

void PrintHelp(CLI::App* app, const std::vector<std::string>& path) {
  std::string before;  // the usage line begins with the commands before this one
  CLI::App* command = app;
  for (const std::string& name : path) {
    CLI::App* next = FindCommand(command, name);
    if (next == nullptr) {
      const std::string parent = before + (before.empty() ? "" : " ") + command->get_name();
      throw UsageError(fmt::format("{} has no command \"{}\"{} (see {} --help)", parent, name,
                                   DidYouMean(SuggestedCommand(*command, name)), parent));
    }
    before += (before.empty() ? "" : " ") + command->get_name();
    command = next;
  }
  // help() of the program would be that of the command that is running, which is this one.
  fmt::print("{}", path.empty() ? app->get_formatter()->make_help(app, app->get_name(),
                                                                  CLI::AppFormatMode::Normal)
                                : command->help(before));
}

void WriteManual(CLI::App* app, const std::string& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw IoError(folder + ": is not a folder; make it first");
  }
  const auto table = OptionTable(app);
  WriteManPages(table, folder);
  Say(fmt::format("wrote {} manual pages to {}; read one with: man {}/sda.1", table.size(), folder,
                  folder));
}

}  // namespace

void AddHelp(CLI::App* app) {
  CLI::App* help = app->add_subcommand("help", "What a command does, and all its options");
  struct Flags {
    std::vector<std::string> command;
    std::string man;
    std::string shell;
  };
  auto flags = std::make_shared<Flags>();
  help->add_option("COMMAND", flags->command, "Such as fit, or cluster create; none: the program")
      ->type_name("NAME");
  help->add_option(
      "--man", flags->man,
      "Write a manual page for every command to this folder, as sda.1, sda-fit.1, ...");
  help->callback([=] {
    if (flags->man.empty()) return PrintHelp(app, flags->command);
    if (!flags->command.empty()) throw UsageError("--man writes all pages; give no COMMAND");
    WriteManual(app, flags->man);
  });
  CLI::App* completion = app->add_subcommand(
      "completion", "Print the script with which a shell completes sda's options");
  completion->add_option("SHELL", flags->shell, "bash, zsh or fish")
      ->required()
      ->check(Choices({"bash", "zsh", "fish"}));
  completion->footer(
      "For this shell:      source <(sda completion bash)\n"
      "                     source <(sda completion zsh)\n"
      "                     sda completion fish | source\n"
      "For all later ones:  add that line to ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish");
  completion->callback([=] {
    const auto table = OptionTable(app);
    fmt::print("{}", flags->shell == "bash"  ? BashCompletion(table)
                     : flags->shell == "zsh" ? ZshCompletion(table)
                                             : FishCompletion(table));
  });
}

}  // namespace sda
