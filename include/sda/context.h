#ifndef SDA_CONTEXT_H_
#define SDA_CONTEXT_H_

#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>

#include "sda/export.h"
#include "sda/thread_pool.h"

namespace SDA_EXPORT sda {

// A computation that was interrupted: see Context::Interrupt.
class InterruptedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a run is given by whoever starts it: threads, the request to stop, and where notices go.
// Nothing of this is global to the process, so several runs can live in one. Copies share one
// state; the threads end when the last copy is gone. All functions may be called from any thread.
class Context {
 public:
  // Takes notices for people, a line each, from any thread.
  using Logger = std::function<void(const std::string& line)>;

  // So that a slip of the pen does not fill the machine with threads.
  static constexpr int kMostThreads = 1024;

  // threads: to compute with, over all workers, at most kMostThreads; 0: as many as the processor
  // has. `stop` ends the run when it is requested; so does RequestStop().
  explicit Context(int threads = 0, std::stop_token stop = {}, Logger logger = {});

  int threads() const;
  // That many threads, started when they are first asked for.
  ThreadPool* pool() const;

  bool StopRequested() const { return token().stop_requested(); }
  // For a source that waits, or a std::stop_callback.
  const std::stop_token& token() const;
  // Ends the run, and whatever else has this context.
  void RequestStop() const;

  // For a person who waits: the minibatch in work ends, too, between two passes over its documents
  // and without a result, and so does what comes after it, until ClearInterrupt(). Primitives call
  // ThrowIfInterrupted() in each pass.
  void Interrupt() const;
  void ClearInterrupt() const;
  bool Interrupted() const;
  void ThrowIfInterrupted() const;

  void Log(const std::string& line) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace sda

#endif  // SDA_CONTEXT_H_
