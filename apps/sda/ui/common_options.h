#ifndef SDA_APPS_UI_COMMON_OPTIONS_H_
#define SDA_APPS_UI_COMMON_OPTIONS_H_

#include <CLI/CLI.hpp>

namespace sda {

// Adds --quiet and --config to every command that does something.
void AddCommonOptions(CLI::App* app);

}  // namespace sda

#endif  // SDA_APPS_UI_COMMON_OPTIONS_H_
