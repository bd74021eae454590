#include "data/io/check_inputs.h"

#include "base/safe_file.h"
#include "data/io/input.h"

namespace sda {

void CheckInputs(const std::vector<std::string>& inputs, bool follow) {
  const size_t checked = inputs.size() - (follow && !inputs.empty());
  for (size_t i = 0; i < checked; ++i) {
    if (CanReadTwice(inputs[i])) Input::Open(inputs[i]);
  }
}

}  // namespace sda
