#include "ui/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "base/settings_text.h"
#include "base/text.h"
#include "help/option_table.h"
#include "help/suggestions.h"
#include "sda/errors.h"
#include "ui/flags.h"

namespace sda {
namespace {

constexpr std::array kNotFromFile = {"config", "force", "help", "version"};

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// The line up to a comment, which is not in quotes.
std::string WithoutComment(const std::string& line) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quote == '"' && line[i] == '\\') {
      ++i;
    } else if (quote != 0) {
      if (line[i] == quote) quote = 0;
    } else if (line[i] == '"' || line[i] == '\'') {
      quote = line[i];
    } else if (line[i] == '#') {
      return line.substr(0, i);
    }
  }
  return line;
}

// Throws std::invalid_argument saying what is wrong.
std::string TextOf(const std::string& value) {
  const char quote = value.empty() ? 0 : value[0];
  if (quote != '"' && quote != '\'') return value;
  if (value.size() < 2 || value.back() != quote)
    throw std::invalid_argument("has no closing quote");
  const std::string inner = value.substr(1, value.size() - 2);
  if (quote == '\'') return inner;
  std::string out;
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\') {
      out += inner[i];
      continue;
    }
    constexpr std::string_view kEscapes = "nt\"\\";
    constexpr std::string_view kMeanings = "\n\t\"\\";
    const size_t found = ++i < inner.size() ? kEscapes.find(inner[i]) : std::string_view::npos;
    if (found == std::string_view::npos) throw std::invalid_argument("has an unknown escape");
    out += kMeanings[found];
  }
  return out;
}

// As the command line takes it: a list with commas.
std::string ValueOf(const std::string& value) {
  if (value.empty() || value[0] != '[') return TextOf(value);
  if (value.back() != ']') throw std::invalid_argument("is a list without ]");
  std::string list;
  for (const std::string& item : CLI::detail::split(value.substr(1, value.size() - 2), ',')) {
    const std::string text = TextOf(Trimmed(item));
    if (!text.empty()) list += (list.empty() ? "" : ",") + text;
  }
  return list;
}

// The commands among the arguments, and the command they lead to.
std::vector<std::string> PathIn(const std::vector<std::string>& arguments, CLI::App** command) {
  std::vector<std::string> path;
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument.starts_with('-')) continue;
    CLI::App* next = FindCommand(*command, argument);
    if (next == nullptr) break;
    *command = next;
    path.push_back(argument);
  }
  return path;
}

CLI::Option* FindOption(CLI::App* command, const std::string& name) {
  if (CLI::Option* option = command->get_option_no_throw("--" + name)) return option;
  for (CLI::App* part :
       command->get_subcommands([](CLI::App* a) { return a->get_name().empty(); })) {
    if (CLI::Option* option = FindOption(part, name)) return option;
  }
  return nullptr;
}

bool AnyCommandHas(CLI::App* command, const std::string& name) {
  if (FindOption(command, name) != nullptr) return true;
  const auto commands = command->get_subcommands([](CLI::App*) { return true; });
  return std::any_of(commands.begin(), commands.end(),
                     [&](CLI::App* c) { return AnyCommandHas(c, name); });
}

bool IsGiven(const CLI::Option& option, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return false;
    for (const std::string& name : option.get_lnames()) {
      if (argument == "--" + name || argument.starts_with("--" + name + "=")) return true;
    }
    for (const std::string& name : option.get_snames()) {
      if (argument.starts_with("-" + name)) return true;
    }
  }
  return false;
}

}  // namespace

std::string ConfigFileIn(const std::vector<std::string>& arguments) {
  constexpr std::string_view kOption = "--config";
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i] == kOption && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with("--config=")) return arguments[i].substr(kOption.size() + 1);
  }
  return "";
}

ConfigFile::ConfigFile(std::string path, CLI::App* app) : path_(std::move(path)), app_(app) {
  std::istringstream file(ReadSettingsText(path_));
  std::string line;
  std::string section;
  for (size_t number = 1; std::getline(file, line); ++number) {
    const std::string text = Trimmed(WithoutComment(line));
    if (text.empty()) continue;
    if (text[0] == '[' && text.back() == ']') {
      section = Trimmed(text.substr(1, text.size() - 2));
      std::replace(section.begin(), section.end(), '.', ' ');
      CLI::App* command = app_;
      if (PathIn(CLI::detail::split(section, ' '), &command).empty() ||
          !command->get_subcommands([](CLI::App* c) { return !c->get_name().empty(); }).empty()) {
        Fail(number, fmt::format("there is no command {}{}", Quoted(section),
                                 DidYouMean(SuggestedCommand(*command, section))));
      }
      continue;
    }
    const size_t equals = text.find('=');
    if (equals == std::string::npos) {
      Fail(number, fmt::format("found {}, expected NAME = VALUE or [COMMAND]", Quoted(text)));
    }
    Entry entry{section, Trimmed(text.substr(0, equals)), "", number};
    try {
      entry.value = ValueOf(Trimmed(text.substr(equals + 1)));
    } catch (const std::invalid_argument& e) {
      Fail(number, fmt::format("the value of {} {}", Quoted(entry.name), e.what()));
    }
    if (entry.value.empty()) Fail(number, fmt::format("{} has no value", Quoted(entry.name)));
    Check(entry);
    entries_.push_back(std::move(entry));
  }
}

void ConfigFile::Fail(size_t line, const std::string& what) const {
  throw UsageError(fmt::format("{}:{}: {}", path_, line, what));
}

void ConfigFile::Check(const Entry& entry) const {
  if (std::find(kNotFromFile.begin(), kNotFromFile.end(), entry.name) != kNotFromFile.end()) {
    Fail(entry.line, "--" + entry.name + " is for the command line alone");
  }
  if (entry.section.empty()) {
    if (!AnyCommandHas(app_, entry.name)) {
      Fail(entry.line, "no command has an option " + Quoted(entry.name));
    }
    return;
  }
  CLI::App* command = app_;
  PathIn(CLI::detail::split(entry.section, ' '), &command);
  if (FindOption(command, entry.name) == nullptr) {
    Fail(entry.line, fmt::format("sda {} has no option {}{}", entry.section, Quoted(entry.name),
                                 DidYouMean(SuggestedOption(*command, entry.name))));
  }
}

std::vector<ConfigFile::Entry> ConfigFile::EntriesFor(
    const std::vector<std::string>& arguments) const {
  CLI::App* command = app_;
  const std::string path = CLI::detail::join(PathIn(arguments, &command), " ");
  std::vector<Entry> found;
  for (const Entry& entry : entries_) {
    if (!entry.section.empty() && entry.section != path) continue;
    const CLI::Option* option = FindOption(command, entry.name);
    if (option == nullptr || IsGiven(*option, arguments)) continue;
    // Of the command counts more than of all commands; otherwise the last.
    std::erase_if(found, [&](const Entry& e) { return e.name == entry.name; });
    found.push_back(entry);
  }
  return found;
}

std::vector<std::string> ConfigFile::ArgumentsFor(const std::vector<std::string>& arguments) const {
  CLI::App* command = app_;
  PathIn(arguments, &command);
  std::vector<std::string> further;
  for (const Entry& entry : EntriesFor(arguments)) {
    const bool flag = IsFlag(*FindOption(command, entry.name));
    if (flag && entry.value != "true" && entry.value != "false") {
      Fail(entry.line,
           fmt::format("{} is {}, must be true or false", Quoted(entry.name), Quoted(entry.value)));
    }
    if (!flag) further.push_back("--" + entry.name + "=" + entry.value);
    if (flag && entry.value == "true") further.push_back("--" + entry.name);
  }
  return further;
}

std::string ConfigFile::PlaceOf(const std::string& message,
                                const std::vector<std::string>& arguments) const {
  for (const Entry& entry : EntriesFor(arguments)) {
    std::string field = entry.name;
    std::replace(field.begin(), field.end(), '-', '_');
    const bool named = message.find("--" + entry.name) != std::string::npos ||
                       message.starts_with(entry.name + " ") || message.starts_with(field + " ");
    if (named) return fmt::format("{}:{}: ", path_, entry.line);
  }
  return "";
}

}  // namespace sda
