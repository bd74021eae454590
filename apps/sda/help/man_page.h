#ifndef SDA_APPS_HELP_MAN_PAGE_H_
#define SDA_APPS_HELP_MAN_PAGE_H_

#include <string>
#include <vector>

#include "help/option_table.h"

namespace sda {

// The manual page of a command, in the man macros of troff. `table` has all commands, for SEE ALSO.
std::string ManPage(const CommandEntry& command, const std::vector<CommandEntry>& table);

// Writes a page for every command to an existing folder: sda.1, sda-fit.1, sda-cluster-create.1.
void WriteManPages(const std::vector<CommandEntry>& table, const std::string& folder);

}  // namespace sda

#endif  // SDA_APPS_HELP_MAN_PAGE_H_
