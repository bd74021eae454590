#ifndef SDA_INPUT_ERROR_H_
#define SDA_INPUT_ERROR_H_

#include <stdexcept>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// Bad input: the message names the file, the place in it, what was found and what was expected.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace sda

#endif  // SDA_INPUT_ERROR_H_
