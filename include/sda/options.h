#ifndef SDA_OPTIONS_H_
#define SDA_OPTIONS_H_

#include <atomic>
#include <cstdint>
#include <functional>

#include "sda/export.h"

namespace SDA_EXPORT sda {

enum class Schedule {
  kSerial,        // one minibatch after the other (paper eq. 2)
  kSynchronous,   // rounds of `workers` minibatches from one prior, their deltas added (eq. 5-7)
  kAsynchronous,  // workers that never wait for each other
};

// What an asynchronous worker takes as the prior of its minibatch (paper section 2).
enum class WorkerPrior {
  kLatestPosterior,  // the posterior when it starts: the paper's preferred form
  kFixedPrior,       // the prior of the run: exact if the primitive is
};

// The share of what was learnt before that a minibatch's update keeps, in [0, 1]; 1 keeps all.
// Called once for each minibatch that is read, by the thread that reads.
using Discount = std::function<double(uint64_t minibatch, uint64_t items)>;

// Forgetting at an even pace: after `items` further items, what was learnt before counts half. The
// items of one minibatch are not discounted against each other, so minibatches should be far
// smaller than the half-life.
Discount HalfLife(double items);

struct RunOptions {
  Schedule schedule = Schedule::kSerial;

  // Minibatches in work at once. Changes the approximation, unless the primitive is exact.
  int workers = 1;

  // Threads that serve the workers of a synchronous round; 0 means one for each worker, at most
  // the processor's. Changes nothing but the time. (Asynchronous workers have a thread each.)
  int threads = 0;

  WorkerPrior worker_prior = WorkerPrior::kLatestPosterior;  // asynchronous only

  // So many minibatches are folded one after the other before the workers go on together. A
  // primitive that has to break a symmetry (topics have no order of their own) needs 1: workers
  // that all start from the prior would each break it in their own way, and their sum be a blur.
  int serial_first = 0;

  // Minibatches that may wait between the source and asynchronous workers; 0 means 2 a worker.
  int queue_capacity = 0;

  // Power prior: forgets at this pace before each update. Empty: forgets nothing. In a synchronous
  // round, one update, the discounts of its minibatches are multiplied.
  Discount discount;

  // When it becomes true the minibatches in hand are finished, a synchronous round is completed,
  // and the run ends. May be set from a signal handler. Not owned.
  const std::atomic<bool>* stop = nullptr;

  // Called when a minibatch could not be worked on or folded, perhaps from a worker's thread: the
  // run ends, but the source may be waiting for input, and only its owner can end that. Must not
  // throw. May be empty.
  std::function<void()> on_failure;

  // Throws std::invalid_argument naming the field and its value.
  void Validate() const;

  bool StopRequested() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
  int RoundThreads() const;
  // Throws std::invalid_argument if it is not between 0 and 1.
  double DiscountOf(uint64_t minibatch, uint64_t items) const;
};

}  // namespace sda

#endif  // SDA_OPTIONS_H_
