#include "ui/flags.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>

namespace sda {
namespace {

constexpr const char* kUnsigned = "UINT";  // what CLI11 calls the type of such an option

std::string FaultInWhole(const std::string& text) {
  uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc() && std::to_string(value) == text) return "";
  return fmt::format("is \"{}\", must be a whole number from 0 to {}", text,
                     std::numeric_limits<uint64_t>::max());
}

constexpr std::string_view kChoices = "choices:";

}  // namespace

CLI::Validator Choices(const std::vector<std::string>& names) {
  CLI::Validator validator = CLI::IsMember(names);
  validator.description("");
  return validator.name(std::string(kChoices) + CLI::detail::join(names, ","));
}

std::vector<std::string> ChoicesOf(CLI::Option* option) {
  for (int i = 0;; ++i) try {
      const std::string& name = option->get_validator(i)->get_name();
      if (!name.starts_with(kChoices)) continue;
      return CLI::detail::split(name.substr(kChoices.size()), ',');
    } catch (const CLI::OptionNotFound&) {
      return {};  // that was the last one
    }
}

bool IsFlag(const CLI::Option& option) { return option.get_expected_max() == 0; }

void CheckWholeNumbers(CLI::App* app) {
  for (CLI::Option* option : app->get_options()) {
    if (option->get_type_name() == kUnsigned) option->check(CLI::Validator(FaultInWhole, ""));
  }
  for (CLI::App* part : app->get_subcommands([](CLI::App*) { return true; })) {
    CheckWholeNumbers(part);
  }
}

}  // namespace sda
