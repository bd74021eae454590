#include "sda/options.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>

namespace sda {
namespace {

void CheckAtLeast(const char* field, int value, int least) {
  if (value < least) {
    throw std::invalid_argument(std::string(field) + " is " + std::to_string(value) +
                                ", must be at least " + std::to_string(least));
  }
}

}  // namespace

Discount HalfLife(double items) {
  if (!(items > 0)) {
    throw std::invalid_argument("half-life is " + std::to_string(items) +
                                ", must be a positive number of items");
  }
  return [items](uint64_t /*minibatch*/, uint64_t n) {
    return std::exp2(-static_cast<double>(n) / items);
  };
}

void RunOptions::Validate() const {
  CheckAtLeast("workers", workers, 1);
  CheckAtLeast("threads", threads, 0);
  CheckAtLeast("serial_first", serial_first, 0);
  CheckAtLeast("queue_capacity", queue_capacity, 0);
  if (schedule == Schedule::kSerial && workers != 1) {
    throw std::invalid_argument("workers is " + std::to_string(workers) +
                                ", but the serial schedule has one");
  }
}

double RunOptions::DiscountOf(uint64_t minibatch, uint64_t items) const {
  const double kept = discount ? discount(minibatch, items) : 1;
  if (!(kept >= 0 && kept <= 1)) {
    throw std::invalid_argument("discount is " + std::to_string(kept) +
                                ", must be between 0 and 1");
  }
  return kept;
}

int RunOptions::RoundThreads() const {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::min(workers, threads > 0 ? threads : cores);
}

}  // namespace sda
