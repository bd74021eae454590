#ifndef SDA_DATA_IO_STOPPED_AT_START_H_
#define SDA_DATA_IO_STOPPED_AT_START_H_

#include "sda/errors.h"

namespace sda {

// The stream was asked to stop before there was anything to learn from in it. No fault of one that
// is followed.
class StoppedAtStart : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace sda

#endif  // SDA_DATA_IO_STOPPED_AT_START_H_
