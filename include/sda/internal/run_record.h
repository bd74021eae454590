#ifndef SDA_INTERNAL_RUN_RECORD_H_
#define SDA_INTERNAL_RUN_RECORD_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

#include "sda/export.h"
#include "sda/internal/stopwatch.h"
#include "sda/observer.h"
#include "sda/store.h"

namespace SDA_EXPORT sda {

// A source, a primitive, a store or an observer failed. Everything folded before is in the store.
class RunError : public std::runtime_error {
 public:
  RunError(const std::string& message, uint64_t minibatch, Summary summary)
      : std::runtime_error(message), minibatch_(minibatch), summary_(summary) {}
  // The minibatch that failed; if the source failed, the one it should have handed out.
  uint64_t minibatch() const { return minibatch_; }
  const Summary& summary() const { return summary_; }

 private:
  uint64_t minibatch_;
  Summary summary_;
};

// Book-keeping of one run: builds the summary, calls the observer, remembers the first failure.
// Thread-safe.
class RunRecord {
 public:
  explicit RunRecord(const Observer& observer);

  struct Work {
    uint64_t minibatch = 0;
    Counts counts;
    double seconds = 0;
    Prediction prediction;
  };
  void Folded(const Work& work, const AddResult& result, bool whole_round);
  void Read();       // a minibatch was handed out
  void Duplicate();  // a minibatch that is in the posterior already came again

  // To be called while an exception is being handled. Only the first failure counts.
  void Failed(uint64_t minibatch, const char* while_doing);

  // Notifies the observer that the run has ended and returns the summary, or throws RunError if
  // something failed. The run was stopped if that was requested and something is not folded: the
  // stream had not ended, or minibatches that were read were dropped.
  Summary Finish(bool stop_requested, bool stream_ended);

 private:
  struct Failure {
    std::string message;
    uint64_t minibatch;
  };

  const Observer& observer_;
  const Stopwatch watch_;
  std::mutex mutex_;
  Summary summary_;
  uint64_t read_ = 0;
  std::optional<Failure> failure_;
};

}  // namespace sda

#endif  // SDA_INTERNAL_RUN_RECORD_H_
