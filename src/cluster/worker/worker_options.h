#ifndef SDA_CLUSTER_WORKER_WORKER_OPTIONS_H_
#define SDA_CLUSTER_WORKER_WORKER_OPTIONS_H_

#include <cstdint>
#include <optional>

namespace sda::cluster {

// How a worker takes documents; most of it is the job's.
struct WorkerOptions {
  uint64_t minibatch = 4096;              // documents
  uint64_t first_minibatch = 32768;       // of the job
  uint64_t vocabulary_from = 10'000;      // documents from which words are chosen
  double minibatch_seconds = 10;          // after which fewer documents will do
  bool until_caught_up = false;           // ends when all workers together have read everything
  bool fixed_prior = false;               // minibatches start from the job's prior
  std::optional<uint64_t> max_staleness;  // deltas that a view may lack when a minibatch starts
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_WORKER_OPTIONS_H_
