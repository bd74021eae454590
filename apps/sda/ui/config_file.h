#ifndef SDA_APPS_UI_CONFIG_FILE_H_
#define SDA_APPS_UI_CONFIG_FILE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sda {

// Options of the command line from a file, for --config. Lines `name = value`, as in TOML: a text
// in quotes or bare, a number, true or false, a list in brackets; # begins a comment. Those under
// [fit] or [cluster.create] are for that command; those before the first heading are for every
// command that has such an option. Any long option can be set, except --config, --force, --help and
// --version; what the command line gives itself counts more.
class ConfigFile {
 public:
  // Throws UsageError naming file and line if no command of the program has such an option, or the
  // line cannot be read; IoError if the file cannot be.
  ConfigFile(std::string path, CLI::App* app);

  // The arguments that these arguments of the program lack: --name=value.
  std::vector<std::string> ArgumentsFor(const std::vector<std::string>& arguments) const;

  // "FILE:LINE: " if the message is about an option that the file set for these arguments.
  std::string PlaceOf(const std::string& message, const std::vector<std::string>& arguments) const;

 private:
  struct Entry {
    std::string section;  // "cluster create"; empty: all commands
    std::string name;     // without dashes
    std::string value;
    size_t line = 0;
  };
  [[noreturn]] void Fail(size_t line, const std::string& what) const;
  void Check(const Entry& entry) const;
  // Those that count for the arguments.
  std::vector<Entry> EntriesFor(const std::vector<std::string>& arguments) const;

  std::string path_;
  CLI::App* app_;
  std::vector<Entry> entries_;
};

// The value of --config among the arguments of a command; empty: none is given.
std::string ConfigFileIn(const std::vector<std::string>& arguments);

}  // namespace sda

#endif  // SDA_APPS_UI_CONFIG_FILE_H_
