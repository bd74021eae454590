#include "cluster/kafka/fault_point.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

namespace sda::cluster {
namespace {

struct Fault {
  std::string action;  // empty: none
  std::string point;
  int number = 1;
};

Fault Parse(const char* text) {
  if (text == nullptr) return {};
  const std::string fault = text;
  const size_t first = fault.find(':');
  const size_t second = fault.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return {};
  return {fault.substr(0, first), fault.substr(first + 1, second - first - 1),
          std::atoi(fault.c_str() + second + 1)};
}

}  // namespace

void FaultPoint(const char* point) {
  static const Fault fault = Parse(std::getenv("SDA_CLUSTER_FAULT"));
  if (fault.action.empty() || fault.point != point) return;
  if (fault.action == "slow") {
    std::this_thread::sleep_for(std::chrono::milliseconds(fault.number));
    return;
  }
  static std::atomic<int> left = fault.number;
  if (--left != 0) return;
  const char* text = std::getenv("SDA_CLUSTER_FAULT_PID");
  const int other = text == nullptr ? 0 : std::atoi(text);
  kill(other > 0 ? other : getpid(), fault.action == "kill" ? SIGKILL : SIGSTOP);
}

}  // namespace sda::cluster
