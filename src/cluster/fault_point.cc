#include "cluster/fault_point.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>

namespace sda::cluster {
namespace {

struct Fault {
  int signal = 0;  // 0: none
  std::string point;
  int left = 1;  // times to come there
};

Fault Parse(const char* text) {
  if (text == nullptr) return {};
  const std::string fault = text;
  const size_t first = fault.find(':');
  const size_t second = fault.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return {};
  return {fault.substr(0, first) == "kill" ? SIGKILL : SIGSTOP,
          fault.substr(first + 1, second - first - 1), std::atoi(fault.c_str() + second + 1)};
}

}  // namespace

void FaultPoint(const char* point) {
  static const Fault fault = Parse(std::getenv("SDA_CLUSTER_FAULT"));
  if (fault.signal == 0 || fault.point != point) return;
  static std::atomic<int> left = fault.left;
  if (--left == 0) std::raise(fault.signal);
}

}  // namespace sda::cluster
