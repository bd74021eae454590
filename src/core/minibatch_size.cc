#include "core/minibatch_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sda/errors.h"

namespace sda {

void CheckMinibatch(const char* option, int64_t minibatch, double half_life) {
  if (minibatch < 1 || minibatch > 1'000'000'000) {
    throw UsageError(
        fmt::format("{} is {}, must be at least 1 and at most 1,000,000,000", option, minibatch));
  }
  if (half_life > 0 && static_cast<double>(minibatch) > half_life / 2) {
    throw UsageError(fmt::format("{} is {}, must be at most half of the --half-life of {:g}",
                                 option, minibatch, half_life));
  }
}

uint64_t ItemsPerRound(std::optional<int64_t> minibatch, double half_life, int64_t usual) {
  constexpr double kMinibatchesPerHalfLife = 20;
  const double forgetting = std::max(1.0, std::ceil(half_life / kMinibatchesPerHalfLife));
  if (half_life > 0 && forgetting < static_cast<double>(usual)) {
    usual = static_cast<int64_t>(forgetting);
  }
  const int64_t items = minibatch.value_or(usual);
  CheckMinibatch("--minibatch", items, half_life);
  return items;
}

}  // namespace sda
