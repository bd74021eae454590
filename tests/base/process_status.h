#ifndef SDA_TESTS_BASE_PROCESS_STATUS_H_
#define SDA_TESTS_BASE_PROCESS_STATUS_H_

#include <cstdint>
#include <fstream>
#include <string>

namespace sda {

// A number of /proc/self/status: Threads, or VmRSS, in KiB.
inline int64_t StatusOfProcess(const std::string& field) {
  std::ifstream in("/proc/self/status");
  std::string line;
  while (std::getline(in, line)) {
    if (line.starts_with(field + ":")) return std::stoll(line.substr(field.size() + 1));
  }
  return -1;
}

}  // namespace sda

#endif  // SDA_TESTS_BASE_PROCESS_STATUS_H_
