#ifndef SDA_TESTS_BASE_MEMORY_IN_USE_H_
#define SDA_TESTS_BASE_MEMORY_IN_USE_H_

#include <malloc.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <string>

namespace sda {

// Bytes that were allocated and not freed, by all threads: mallinfo2() knows the first arena alone.
// 0 under a sanitizer, which has an allocator of its own.
inline int64_t MemoryInUse() {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  malloc_info(0, out);
  std::fclose(out);
  std::string all(text, size);
  std::free(text);
  const size_t heaps = all.rfind("</heap>");
  if (heaps != std::string::npos) all.erase(0, heaps);
  auto number = [&](const char* tag) -> int64_t {
    std::smatch match;
    const std::regex pattern(std::string(tag) + "[^>]* size=\"([0-9]+)\"");
    return std::regex_search(all, match, pattern) ? std::stoll(match[1]) : 0;
  };
  return number("system type=\"current\"") + number("total type=\"mmap\"") -
         number("total type=\"fast\"") - number("total type=\"rest\"");
}

}  // namespace sda

#endif  // SDA_TESTS_BASE_MEMORY_IN_USE_H_
