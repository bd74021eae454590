#ifndef SDA_APPS_HELP_OPTION_TABLE_H_
#define SDA_APPS_HELP_OPTION_TABLE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sda {

// The commands and options of the program as data. Manual pages, completion and suggestions are
// made from it, so they have every option that the program has, and no other.

struct OptionEntry {
  std::vector<std::string> names;  // "-o", "--output"; empty: a positional argument
  std::string label;               // of the value, or the positional's name; empty: a flag
  std::string help;
  std::string usual;  // the default, if the help does not state it
  std::string group;  // its heading
  std::vector<std::string> choices;
  bool is_file = false;  // the value may be the name of a file
  bool required = false;
  bool many = false;  // a positional that takes several

  bool positional() const { return names.empty(); }
  bool flag() const { return !positional() && label.empty(); }
};

struct CommandEntry {
  std::vector<std::string> path;  // "cluster", "create"; empty: the program itself
  std::string summary;
  std::string footer;
  std::vector<OptionEntry> options;   // those of its groups, too
  std::vector<std::string> commands;  // its subcommands

  // "sda cluster create", with another separator if given.
  std::string Name(const std::string& separator = " ") const;
};

// The program first, then its commands, each followed by its subcommands.
std::vector<CommandEntry> OptionTable(CLI::App* app);

// The subcommand of this name; null: there is none.
CLI::App* FindCommand(CLI::App* app, const std::string& name);

}  // namespace sda

#endif  // SDA_APPS_HELP_OPTION_TABLE_H_
