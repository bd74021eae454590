#ifndef SDA_CORE_MINIBATCH_SIZE_H_
#define SDA_CORE_MINIBATCH_SIZE_H_

#include <cstdint>
#include <optional>

namespace sda {

// Throws UsageError naming the option unless it is between 1 and a billion, and at most half of the
// half-life (0: none), since the items of one minibatch are not discounted against each other.
void CheckMinibatch(const char* option, int64_t minibatch, double half_life);

// A minibatch is what all workers together take in a round, as in the paper: as given, or `usual`,
// or fewer where the half-life is short. Throws UsageError as CheckMinibatch.
uint64_t ItemsPerRound(std::optional<int64_t> minibatch, double half_life, int64_t usual);

}  // namespace sda

#endif  // SDA_CORE_MINIBATCH_SIZE_H_
