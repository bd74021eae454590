#ifndef SDA_BASE_MACHINE_MEMORY_H_
#define SDA_BASE_MACHINE_MEMORY_H_

#include <string>

namespace sda {

// Throws UsageError if `what` may take more bytes than this machine has: what is claimed is not
// allocated bit by bit until the memory is gone. The message ends with the advice.
void ExpectMemoryFor(const std::string& what, double bytes, const std::string& advice);

}  // namespace sda

#endif  // SDA_BASE_MACHINE_MEMORY_H_
