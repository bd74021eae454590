#ifndef SDA_BACKGROUND_SAVER_H_
#define SDA_BACKGROUND_SAVER_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "sda/export.h"
#include "sda/observer.h"

namespace SDA_EXPORT sda {

struct SaveOptions {
  // A save is due this number of seconds after the one before, or, if not 0, this number of
  // minibatches after it.
  double seconds = 30;
  uint64_t minibatches = 0;

  // Saves by time are further apart if copying and writing take more than this share of a
  // processor; 1: never.
  double greatest_share = 0.04;

  void Validate() const;
};

// Saves a run now and then, in the background: to be given to Run() as its last observer.
//
// In a serial or synchronous run what is saved is always as of the end of a minibatch or round,
// when every observer before this one has seen all that is in it, and nothing else. A thread takes
// the copy when it is due; if it finds the run in between, the observer takes it at the next end.
// An asynchronous run has no such moments and needs none. The thread then writes while the run
// continues.
class BackgroundSaver {
 public:
  // A copy of everything that is to be saved.
  struct Copy {
    uint64_t minibatches = 0;  // in the posterior
    std::function<void(const std::string& notes)> write;
  };
  struct Steps {
    std::function<Copy()> copy;          // called from any thread, by one at a time
    std::function<std::string()> notes;  // called at the end of a minibatch or round; may be empty
    bool any_moment = false;             // the run is asynchronous
    uint64_t minibatches_before = 0;     // in the posterior when the run begins
    std::function<void()>
        failed;  // called when a save fails, to end a run that waits; may be empty
  };

  BackgroundSaver(const SaveOptions& options, Steps steps);
  ~BackgroundSaver();
  BackgroundSaver(const BackgroundSaver&) = delete;
  BackgroundSaver& operator=(const BackgroundSaver&) = delete;

  // The observer, of a summary that includes earlier runs. Throws what went wrong with a save, and
  // so ends a run that cannot be saved.
  void Observe(const Summary& summary);

  // Saves as soon as possible what is not yet saved. From any thread.
  void SaveNow();

  // Saves once more, after the run. Throws if that, or a save before it, fails.
  void Finish();

  struct Cost {
    uint64_t saves = 0;
    double copy_seconds = 0;   // for which the run may have had to wait
    double write_seconds = 0;  // of processor time, in the background
  };
  Cost cost() const;

 private:
  using Clock = std::chrono::steady_clock;

  bool Due() const;
  void Loop();
  // Each is called with the lock held; the first two let go of it while they work.
  void CopyInBackground(std::unique_lock<std::mutex>* lock);
  void Write(std::unique_lock<std::mutex>* lock);
  void Keep(Copy copy, double seconds);
  void Stop();

  const SaveOptions options_;
  const Steps steps_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t seen_;      // minibatches in the posterior as of the last end
  std::string notes_;  // as of then
  uint64_t saved_;     // minibatches in what was copied last
  std::optional<Copy> to_write_;
  std::string notes_to_write_;
  bool copy_at_end_ = false;  // the observer is to take the copy
  bool now_ = false;
  bool stop_ = false;
  Clock::time_point due_;
  double last_copy_seconds_ = 0;
  std::exception_ptr failure_;
  Cost cost_;
  std::thread thread_;
};

}  // namespace sda

#endif  // SDA_BACKGROUND_SAVER_H_
