#include "sda/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "sda/context.h"
#include "sda/errors.h"

namespace sda {
namespace {

void CheckAtLeast(const char* field, int value, int least) {
  if (value < least) {
    throw UsageError(std::string(field) + " is " + std::to_string(value) + ", must be at least " +
                     std::to_string(least));
  }
}

template <class Value>
const std::string& NameIn(const std::map<std::string, Value>& names, Value value) {
  return std::find_if(names.begin(), names.end(), [&](auto& name) { return name.second == value; })
      ->first;
}

}  // namespace

const std::map<std::string, Schedule>& ScheduleNames() {
  static const std::map<std::string, Schedule> names = {{"serial", Schedule::kSerial},
                                                        {"sync", Schedule::kSynchronous},
                                                        {"async", Schedule::kAsynchronous}};
  return names;
}

const std::map<std::string, WorkerPrior>& WorkerPriorNames() {
  static const std::map<std::string, WorkerPrior> names = {
      {"latest", WorkerPrior::kLatestPosterior}, {"fixed", WorkerPrior::kFixedPrior}};
  return names;
}

const std::string& NameOf(Schedule schedule) { return NameIn(ScheduleNames(), schedule); }
const std::string& NameOf(WorkerPrior prior) { return NameIn(WorkerPriorNames(), prior); }

Discount HalfLife(double items) {
  if (!(items > 0 && items <= 1e15)) {
    throw UsageError(fmt::format(
        "half-life is {:g}, must be a number of items above 0 and at most 1e15", items));
  }
  return [items](uint64_t /*minibatch*/, uint64_t n) {
    return std::exp2(-static_cast<double>(n) / items);
  };
}

void RunOptions::Validate() const {
  CheckAtLeast("workers", workers, 1);
  CheckAtLeast("serial_first", serial_first, 0);
  CheckAtLeast("queue_capacity", queue_capacity, 0);
  if (schedule == Schedule::kSerial && workers != 1) {
    throw UsageError("workers is " + std::to_string(workers) + ", but the serial schedule has one");
  }
  if (schedule == Schedule::kAsynchronous && workers > Context::kMostThreads) {
    throw UsageError(fmt::format("workers is {}, must be at most {} where each is a thread",
                                 workers, Context::kMostThreads));
  }
}

double RunOptions::DiscountOf(uint64_t minibatch, uint64_t items) const {
  const double kept = discount ? discount(minibatch, items) : 1;
  if (!(kept >= 0 && kept <= 1)) {
    throw UsageError("discount is " + std::to_string(kept) + ", must be between 0 and 1");
  }
  return kept;
}

}  // namespace sda
