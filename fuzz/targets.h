#ifndef SDA_FUZZ_TARGETS_H_
#define SDA_FUZZ_TARGETS_H_

#include <span>
#include <string_view>

namespace sda {

// Each reads arbitrary bytes the way the program would. Bad input may be refused, with the
// exception that the reader promises; any other exception, and any report of a sanitizer, is a
// defect.
struct FuzzTarget {
  const char* name;  // of the binary (fuzz_NAME) and of the corpus (fuzz/corpora/NAME)
  void (*run)(std::string_view bytes);
};

// All of them.
std::span<const FuzzTarget> FuzzTargets();

// Of messages of a cluster job; none in a build without it.
std::span<const FuzzTarget> MessageTargets();

}  // namespace sda

#endif  // SDA_FUZZ_TARGETS_H_
