#ifndef SDA_APPS_UI_FLAGS_H_
#define SDA_APPS_UI_FLAGS_H_

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace sda {

// One of these names, whose list ChoicesOf() finds again.
CLI::Validator Choices(const std::vector<std::string>& names);
// The names that an option can take; empty: any.
std::vector<std::string> ChoicesOf(CLI::Option* option);

// Whether the option has no value.
bool IsFlag(const CLI::Option& option);

// An option whose value goes by one of these names.
template <class Value>
void AddChoice(CLI::App* command, const std::string& option,
               const std::map<std::string, Value>& choices, Value* value, const std::string& help) {
  std::vector<std::string> names;
  for (const auto& [name, chosen] : choices) names.push_back(name);
  command
      ->add_option_function<std::string>(
          option, [=](const std::string& name) { *value = choices.at(name); }, help)
      ->check(Choices(names))
      ->type_name("NAME");
}

// An option whose value is one of these names.
template <class Value>
void AddNamed(CLI::App* command, const std::string& option, Value* value,
              const std::vector<std::string>& names, const std::string& help) {
  command->add_option(option, *value, help)->check(Choices(names))->type_name("NAME");
}

// Those of its groups, too.
inline std::vector<const CLI::Option*> AllOptions(const CLI::App& command) {
  std::vector<const CLI::Option*> all = command.get_options();
  for (const CLI::App* group : command.get_subcommands([](const CLI::App*) { return true; })) {
    const auto further = AllOptions(*group);
    all.insert(all.end(), further.begin(), further.end());
  }
  return all;
}

// Whole numbers of at least 0 are read as such, of every command: CLI11 alone takes -1 for 2^64 -
// 1, 2^64 for the same, and 010 for 8.
void CheckWholeNumbers(CLI::App* app);

}  // namespace sda

#endif  // SDA_APPS_UI_FLAGS_H_
