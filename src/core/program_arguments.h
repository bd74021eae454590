#ifndef SDA_CORE_PROGRAM_ARGUMENTS_H_
#define SDA_CORE_PROGRAM_ARGUMENTS_H_

#include <string>
#include <vector>

#include "sda/program.h"

namespace sda {

// What gives these options again, but those of checkpoints; the arguments are last.
std::vector<std::string> ArgumentsOf(const ProgramOptions& options);

// A line for the user of such a program.
void SayOnStderr(const std::string& line);

}  // namespace sda

#endif  // SDA_CORE_PROGRAM_ARGUMENTS_H_
