#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "base/safe_file.h"
#include "sda/errors.h"
#include "sda/program.h"

namespace sda {
namespace {

// Where the handler writes: the only thing that a signal handler may safely do here.
std::atomic<int> write_end = -1;
static_assert(std::atomic<int>::is_always_lock_free, "read by a signal handler");

constexpr char kSignal = 1;
constexpr char kEnd = 0;

void OnSignal(int /*signal*/) {
  const int error = errno;
  signal(SIGINT, SIG_DFL);  // the second signal, of either kind, ends the program
  signal(SIGTERM, SIG_DFL);
  if (write(write_end.load(), &kSignal, 1) < 0) {
    // The pipe is full: a stop is requested already.
  }
  errno = error;
}

}  // namespace

struct StopOnSignals::State {
  ~State() {
    for (const int end : pipe) {
      if (end >= 0) close(end);
    }
  }

  int pipe[2] = {-1, -1};
  struct sigaction interrupt_before = {};
  struct sigaction terminate_before = {};
  std::stop_source source;
  std::thread thread;

  void WaitForSignal() {
    char byte = kEnd;
    ssize_t n = 0;
    do {
      n = read(pipe[0], &byte, 1);
    } while (n < 0 && errno == EINTR);
    if (n == 1 && byte == kSignal) source.request_stop();
  }
};

StopOnSignals::StopOnSignals() : state_(std::make_unique<State>()) {
  if (pipe2(state_->pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw IoError("cannot wait for signals: " + ErrorText());
  }
  fcntl(state_->pipe[0], F_SETFL, 0);  // the reader waits
  int none = -1;
  if (!write_end.compare_exchange_strong(none, state_->pipe[1])) {
    throw std::logic_error("the process has a StopOnSignals already");
  }
  // Signals are for the other threads, which may block some of them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    state_->thread = std::thread([state = state_.get()] { state->WaitForSignal(); });
  } catch (...) {
    write_end = -1;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigaction(SIGINT, &action, &state_->interrupt_before);
  sigaction(SIGTERM, &action, &state_->terminate_before);
}

StopOnSignals::~StopOnSignals() {
  sigaction(SIGINT, &state_->interrupt_before, nullptr);
  sigaction(SIGTERM, &state_->terminate_before, nullptr);
  if (write(state_->pipe[1], &kEnd, 1) < 0) {
    // Only if it is full, and then the thread has something to read.
  }
  state_->thread.join();
  write_end = -1;
}

std::stop_token StopOnSignals::token() const { return state_->source.get_token(); }

}  // namespace sda
