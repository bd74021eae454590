#include "sda/internal/run_record.h"

#include <algorithm>
#include <new>
#include <system_error>

namespace sda {
namespace {

std::string CurrentMessage() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::system_error& e) {
    if (e.code() != std::errc::resource_unavailable_try_again) return e.what();
    return "cannot start a thread: too little memory, or too many threads";
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace

RunRecord::RunRecord(const Observer& observer) : observer_(observer) {}

void RunRecord::Folded(const Work& work, const AddResult& result, bool whole_round) {
  if (!result.folded) return Duplicate();
  std::lock_guard lock(mutex_);
  summary_.seconds = watch_.seconds();
  ++summary_.minibatches;
  summary_.counts += work.counts;
  summary_.computing_seconds += work.seconds;
  summary_.prediction.log_sum += work.prediction.log_sum;
  summary_.prediction.tested += work.prediction.tested;
  summary_.last_prediction = work.prediction;
  summary_.last_minibatch = work.minibatch;
  summary_.whole_round = whole_round;
  summary_.staleness_last = result.staleness;
  summary_.staleness_max = std::max(summary_.staleness_max, result.staleness);
  summary_.staleness_sum += result.staleness;
  if (observer_) observer_(summary_);
}

void RunRecord::Read() {
  std::lock_guard lock(mutex_);
  ++read_;
}

void RunRecord::Duplicate() {
  std::lock_guard lock(mutex_);
  ++summary_.duplicates;
}

void RunRecord::Failed(uint64_t minibatch, const char* while_doing) {
  std::string message =
      CurrentMessage() + " (" + while_doing + " minibatch " + std::to_string(minibatch) + ")";
  std::lock_guard lock(mutex_);
  if (!failure_) failure_ = Failure{std::move(message), minibatch};
}

Summary RunRecord::Finish(bool stop_requested, bool stream_ended) {
  std::lock_guard lock(mutex_);
  summary_.seconds = watch_.seconds();
  const bool all_folded = stream_ended && summary_.minibatches + summary_.duplicates == read_;
  summary_.stopped = stop_requested && !all_folded;
  summary_.finished = true;
  try {
    if (observer_) observer_(summary_);
  } catch (...) {
    // The first failure counts: this may only be what followed from it.
    if (!failure_) {
      failure_ = Failure{CurrentMessage() + " (at the end of the run)", summary_.last_minibatch};
    }
  }
  if (failure_) throw RunError(failure_->message, failure_->minibatch, summary_);
  return summary_;
}

}  // namespace sda
