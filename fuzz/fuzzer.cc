// One libFuzzer binary: the target named by SDA_FUZZ_TARGET.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const sda::FuzzTarget* const target = [] {
    for (const sda::FuzzTarget& t : sda::FuzzTargets()) {
      if (std::strcmp(t.name, SDA_FUZZ_TARGET) == 0) return &t;
    }
    __builtin_trap();
  }();
  target->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
