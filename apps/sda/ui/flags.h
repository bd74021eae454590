#ifndef SDA_APPS_UI_FLAGS_H_
#define SDA_APPS_UI_FLAGS_H_

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace sda {

// An option whose value goes by one of these names.
template <class Value>
void AddChoice(CLI::App* command, const std::string& option,
               const std::map<std::string, Value>& choices, Value* value, const std::string& help) {
  command
      ->add_option_function<std::string>(
          option, [=](const std::string& name) { *value = choices.at(name); }, help)
      ->check(CLI::IsMember(choices).description(""))
      ->type_name("NAME");
}

// An option whose value is one of these names.
template <class Value>
void AddNamed(CLI::App* command, const std::string& option, Value* value,
              const std::vector<std::string>& names, const std::string& help) {
  command->add_option(option, *value, help)
      ->check(CLI::IsMember(names).description(""))
      ->type_name("NAME");
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

}  // namespace sda

#endif  // SDA_APPS_UI_FLAGS_H_
