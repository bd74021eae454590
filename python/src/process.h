#ifndef SDA_PYTHON_PROCESS_H_
#define SDA_PYTHON_PROCESS_H_

#include <unistd.h>

#include <stdexcept>

namespace sda::python {

// What has threads or locks, and so is of no use in a process that was forked off.
class OfOneProcess {
 public:
  bool Here() const { return getpid() == process_; }
  // Throws std::runtime_error in a process that was forked off.
  void ExpectHere() const {
    if (Here()) return;
    throw std::runtime_error(
        "this model belongs to the process that made it, and its threads did not come along with "
        "fork(): give the model to the new process by pickle, or load it there from a file, or "
        "start processes with the method spawn");
  }

 private:
  const pid_t process_ = getpid();
};

}  // namespace sda::python

#endif  // SDA_PYTHON_PROCESS_H_
