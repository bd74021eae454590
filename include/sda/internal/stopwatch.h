#ifndef SDA_INTERNAL_STOPWATCH_H_
#define SDA_INTERNAL_STOPWATCH_H_

#include <chrono>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace sda

#endif  // SDA_INTERNAL_STOPWATCH_H_
