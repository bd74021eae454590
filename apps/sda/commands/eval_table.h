#ifndef SDA_APPS_COMMANDS_EVAL_TABLE_H_
#define SDA_APPS_COMMANDS_EVAL_TABLE_H_

#include <string>
#include <vector>

#include "tables/table_fit_options.h"

namespace sda {

// `sda eval` with a model on tables.
struct EvalTableFlags {
  std::string model;
  std::vector<std::string> inputs;
  ReadingChanges reading;
  std::string holdout;  // file of row numbers
  bool json = false;
};
void EvalTable(const EvalTableFlags& flags);

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_EVAL_TABLE_H_
