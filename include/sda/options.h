#ifndef SDA_OPTIONS_H_
#define SDA_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

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

// Their names: serial, sync, async; latest, fixed.
const std::map<std::string, Schedule>& ScheduleNames();
const std::map<std::string, WorkerPrior>& WorkerPriorNames();
const std::string& NameOf(Schedule schedule);
const std::string& NameOf(WorkerPrior prior);

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

  WorkerPrior worker_prior = WorkerPrior::kLatestPosterior;  // asynchronous only

  // This number of minibatches is folded one after the other before the workers run together. A
  // primitive that has to break a symmetry (topics have no order of their own) needs 1: workers
  // that all start from the prior would each break it in their own way, and their sum be a blur.
  int serial_first = 0;

  // Minibatches that may wait between the source and asynchronous workers; 0 means 2 a worker.
  int queue_capacity = 0;

  // Power prior: forgets at this pace before each update. Empty: forgets nothing. In a synchronous
  // round, one update, the discounts of its minibatches are multiplied.
  Discount discount;

  // Throws UsageError naming the field and its value.
  void Validate() const;

  // Throws UsageError if it is not between 0 and 1.
  double DiscountOf(uint64_t minibatch, uint64_t items) const;
};

}  // namespace sda

#endif  // SDA_OPTIONS_H_
