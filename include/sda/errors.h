#ifndef SDA_ERRORS_H_
#define SDA_ERRORS_H_

#include <stdexcept>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// Three kinds of failure, by how the caller can react to them. A program's exit status is 2 for the
// first and 1 for the others. A broken invariant, which is a mistake in the program, is a
// std::logic_error.

// The caller asked for something impossible: an option out of range, options that conflict. The
// message names the field or option and its value.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// The data are not what they should be: a line that does not parse, a file that is truncated or
// damaged, a message that is not a delta. The message names the file or topic, the place in it,
// what was found and what was expected.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A stop was requested before the stream had anything to learn from: for a stream that is followed,
// this is not an error of the input.
class StoppedAtStart : public InputError {
 public:
  using InputError::InputError;
};

// The environment failed: a disk that is full, a file that cannot be opened, a broker that does not
// answer. The message names it, and the reason.
class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace sda

#endif  // SDA_ERRORS_H_
