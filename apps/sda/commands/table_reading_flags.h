#ifndef SDA_APPS_COMMANDS_TABLE_READING_FLAGS_H_
#define SDA_APPS_COMMANDS_TABLE_READING_FLAGS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "ui/flags.h"

namespace sda {

// --delimiter, --header, --no-header and --missing, of every command that reads CSV.
inline void AddTableReading(CLI::App* command, std::string* delimiter, std::optional<bool>* header,
                            std::string* missing, const std::string& delimiter_otherwise,
                            const std::string& missing_otherwise) {
  command
      ->add_option(
          "--delimiter", *delimiter,
          "Between the fields of CSV: one character, or tab; default: " + delimiter_otherwise)
      ->type_name("CHARACTER");
  command->add_flag_function(
      "--header,!--no-header", [header](int64_t given) { *header = given > 0; },
      "Whether the first line of CSV names the columns; with --no-header they are called 1, 2, "
      "...");
  AddNamed(command, "--missing", missing, {"skip", "refuse"},
           "Rows with a missing value: leave them out and say how many (skip), or end there\n"
           "(refuse); default: " +
               missing_otherwise);
}

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_TABLE_READING_FLAGS_H_
