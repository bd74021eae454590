#include "help/option_table.h"

#include "ui/flags.h"

namespace sda {
namespace {

constexpr const char* kText = "TEXT";  // what CLI11 calls the type of a string

OptionEntry EntryOf(CLI::Option* option, const std::string& group) {
  OptionEntry entry;
  for (const std::string& name : option->get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option->get_lnames()) entry.names.push_back("--" + name);
  entry.help = option->get_description();
  entry.usual = option->get_default_str();
  entry.group = group;
  entry.choices = ChoicesOf(option);
  entry.required = option->get_required();
  if (entry.positional()) {
    entry.label = option->get_name(true);
  } else if (!IsFlag(*option)) {
    const std::string& text = option->get_option_text();
    entry.label = text.empty() ? option->get_type_name() : text;
  }
  entry.is_file = !IsFlag(*option) && option->get_type_name() == kText && entry.choices.empty() &&
                  (entry.label == kText || entry.positional());
  entry.many = option->get_expected_max() == CLI::detail::expected_max_vector_size;
  return entry;
}

void AddOptions(CLI::App* app, const std::string& group, CommandEntry* entry) {
  for (CLI::Option* option : app->get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    entry->options.push_back(EntryOf(option, group.empty() ? option->get_group() : group));
  }
  for (CLI::App* part : app->get_subcommands([](CLI::App*) { return true; })) {
    if (part->get_name().empty()) AddOptions(part, part->get_group(), entry);
  }
}

void AddCommands(CLI::App* app, const std::vector<std::string>& path,
                 std::vector<CommandEntry>* table) {
  CommandEntry entry;
  entry.path = path;
  entry.summary = app->get_description();
  entry.footer = app->get_footer();
  AddOptions(app, "", &entry);
  std::vector<CLI::App*> commands;
  for (CLI::App* command : app->get_subcommands([](CLI::App*) { return true; })) {
    if (command->get_name().empty() || command->get_group().empty()) continue;
    commands.push_back(command);
    entry.commands.push_back(command->get_name());
  }
  table->push_back(std::move(entry));
  for (CLI::App* command : commands) {
    std::vector<std::string> longer = path;
    longer.push_back(command->get_name());
    AddCommands(command, longer, table);
  }
}

}  // namespace

std::string CommandEntry::Name(const std::string& separator) const {
  std::string name = "sda";
  for (const std::string& part : path) name += separator + part;
  return name;
}

std::vector<CommandEntry> OptionTable(CLI::App* app) {
  std::vector<CommandEntry> table;
  AddCommands(app, {}, &table);
  return table;
}

CLI::App* FindCommand(CLI::App* app, const std::string& name) {
  const auto found = app->get_subcommands(
      [&](CLI::App* command) { return !name.empty() && command->get_name() == name; });
  return found.empty() ? nullptr : found[0];
}

}  // namespace sda
