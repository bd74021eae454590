#ifndef SDA_BASE_SYSTEM_CALL_H_
#define SDA_BASE_SYSTEM_CALL_H_

#include <errno.h>
#include <unistd.h>

#include <utility>

namespace sda {

// What a system call returns; it is called again when a signal has interrupted it.
template <class Call>
auto Uninterrupted(const Call& call) {
  while (true) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

// The error number of closing *fd, or 0. It is closed in any case, and -1 then: Linux closes it
// also when a signal interrupts that, and by a second attempt another thread could lose its file.
inline int Close(int* fd) {
  if (*fd < 0 || close(std::exchange(*fd, -1)) == 0 || errno == EINTR) return 0;
  return errno;
}

}  // namespace sda

#endif  // SDA_BASE_SYSTEM_CALL_H_
