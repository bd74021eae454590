#ifndef SDA_APPS_HELP_COMPLETION_H_
#define SDA_APPS_HELP_COMPLETION_H_

#include <string>
#include <vector>

#include "help/option_table.h"

namespace sda {

// Scripts with which a shell completes commands, options, their named values, and files.
std::string BashCompletion(const std::vector<CommandEntry>& table);
std::string ZshCompletion(const std::vector<CommandEntry>& table);
std::string FishCompletion(const std::vector<CommandEntry>& table);

}  // namespace sda

#endif  // SDA_APPS_HELP_COMPLETION_H_
