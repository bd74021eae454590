#ifndef SDA_APPS_COMMANDS_FIT_TABLE_H_
#define SDA_APPS_COMMANDS_FIT_TABLE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "commands/fit.h"
#include "core/run_checkpoints.h"
#include "sda/context.h"
#include "sda/tables.h"

namespace sda {

// The options of `sda fit` for models on tables alone, as given.
struct TableFlags {
  TableFitOptions options;          // target, columns, intercept and the models' own options
  std::vector<std::string> prior;   // NAME=NUMBER
  std::vector<std::string> levels;  // NAME=LEVEL,LEVEL,...
  bool no_intercept = false;
  const CLI::App* command =
      nullptr;  // set by AddTableOptions; tells which common options were given
};

// Adds these options, with those that single models have. `command` has the common ones already.
CLI::Option_group* AddTableOptions(CLI::App* command, TableFlags* flags);

// A line or two for each model, for --help.
std::string TableModelsHelp();

// `sda fit` with a model on tables.
void FitTable(const FitFlags& common, const TableFlags& flags, const Context& context);

// `sda fit --checkpoint DIR --resume` without INPUT: `common` has the settings.
void ResumeTable(const StoredOptions& stored, const FitFlags& common, const Context& context);

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_FIT_TABLE_H_
