#ifndef SDA_TESTS_CLUSTER_HOSTILE_LOG_MUTATIONS_H_
#define SDA_TESTS_CLUSTER_HOSTILE_LOG_MUTATIONS_H_

#include <random>
#include <string>
#include <vector>

#include "tests/cluster/hostile/recorded_log.h"

namespace sda::cluster {

using Random = std::mt19937_64;

// A JSON text with one of its values, at any depth, at an extreme or of another type, or gone.
std::string MutateJson(const std::string& text, Random* random);
// Bits flipped, cut off, put in or doubled.
std::string MutateBytes(std::string bytes, Random* random);

// What an attacker makes of a message.
Recorded MutateMessage(const Recorded& message, const RecordedLog& log, Random* random);
// What an attacker makes of a log: messages that are changed, added, replayed, in another order, or
// of other jobs, and chunks of deltas that are never whole.
std::vector<Recorded> MutateLog(const std::vector<Recorded>& messages, const RecordedLog& log,
                                Random* random);

}  // namespace sda::cluster

#endif  // SDA_TESTS_CLUSTER_HOSTILE_LOG_MUTATIONS_H_
