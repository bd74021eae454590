#include "waiting.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace nb = nanobind;

namespace sda::python {
namespace {

// Guarded by the lock of the interpreter, of which there is one.
struct Calls {
  int number = 0;
  std::thread::id ends;  // the interpreter, once it does
};

Calls& AllCalls() {
  static Calls calls;
  return calls;
}

// What calls cannot be interrupted within that time, such as a primitive of Python, is given up.
constexpr std::chrono::seconds kMostWaiting(10);

void EndCalls() {
  AllCalls().ends = std::this_thread::get_id();
  const auto latest = std::chrono::steady_clock::now() + kMostWaiting;
  while (AllCalls().number > 0 && std::chrono::steady_clock::now() < latest) {
    nb::gil_scoped_release released;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

void Call::ThrowIfEnding() {
  const std::thread::id ends = AllCalls().ends;
  if (ends == std::thread::id() || ends == std::this_thread::get_id()) return;
  PyErr_SetNone(PyExc_SystemExit);
  throw nb::python_error();
}

Call::Call() {
  ThrowIfEnding();
  ++AllCalls().number;
}

// In a process that was forked off during the call there was none any more.
Call::~Call() { AllCalls().number = std::max(0, AllCalls().number - 1); }

void BindWaiting(nb::module_* module) {
  module->def("_end_calls", &EndCalls);
  module->def("_forget_calls", [] { AllCalls() = Calls(); });
}

}  // namespace sda::python
