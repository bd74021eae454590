#ifndef SDA_CORE_PROGRAM_OPTIONS_H_
#define SDA_CORE_PROGRAM_OPTIONS_H_

#include <nlohmann/json.hpp>

#include "sda/program.h"

namespace sda {

// The options that the result depends on, as a checkpoint has them.
nlohmann::json ToJson(const ProgramOptions& options);

}  // namespace sda

#endif  // SDA_CORE_PROGRAM_OPTIONS_H_
