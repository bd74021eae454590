#include "base/machine_memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include "sda/errors.h"

namespace sda {

void ExpectMemoryFor(const std::string& what, double bytes, const std::string& advice) {
  const double machine = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  if (bytes <= machine || machine <= 0) return;
  constexpr double kGigabyte = 1e9;
  throw UsageError(fmt::format("{} may take {:.0f} GB, and this machine has {:.0f}: {}", what,
                               bytes / kGigabyte, machine / kGigabyte, advice));
}

}  // namespace sda
