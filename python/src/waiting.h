#ifndef SDA_PYTHON_WAITING_H_
#define SDA_PYTHON_WAITING_H_

#include <nanobind/nanobind.h>

#include <chrono>
#include <functional>
#include <future>
#include <utility>

namespace sda::python {

// A call of this module that releases the lock of the interpreter for a while; made and destroyed
// with the lock. A thread that asks for the lock again when the interpreter has ended would take
// the process with it. So the end interrupts these calls and waits for them (BindWaiting), and a
// daemon thread that then begins another one gets SystemExit, which ends it without a word.
class Call {
 public:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  static void ThrowIfEnding();
};

// While it lives, other threads of Python run. Expects the lock.
class Unlocked {
  const Call call_;
  const nanobind::gil_scoped_release released_;
};

// Does work on another thread, while this one waits without the lock of the interpreter. It looks
// for signals ten times a second: at Ctrl-C it calls interrupt() until the work has ended, and
// throws the KeyboardInterrupt. poll() is called as often, with the lock.
template <class Work>
auto WaitFor(Work work, const std::function<void()>& interrupt,
             const std::function<void()>& poll = {}) {
  namespace nb = nanobind;
  using std::chrono::milliseconds;
  const Call call;
  auto result = std::async(std::launch::async, std::move(work));
  const auto ended = [&result](int wait) {
    nb::gil_scoped_release released;
    return result.wait_for(milliseconds(wait)) == std::future_status::ready;
  };
  while (!ended(100)) {
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      Call::ThrowIfEnding();
      if (poll) poll();
    } catch (...) {
      do interrupt();
      while (!ended(20));
      throw;
    }
  }
  return result.get();
}

// Adds what sdabayes/_process.py calls at the end of the interpreter, and in a process that was
// forked.
void BindWaiting(nanobind::module_* module);

}  // namespace sda::python

#endif  // SDA_PYTHON_WAITING_H_
