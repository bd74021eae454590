#ifndef SDA_LDA_GIBBS_MEMORY_H_
#define SDA_LDA_GIBBS_MEMORY_H_

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>

namespace sda::lda {

// Asks for large pages for memory that is not written yet: the sampler jumps about in it, and finds
// its way through small ones in an eighth of its time. Where there are none, nothing happens.
inline void PreferLargePages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef __linux__
  constexpr uintptr_t kPage = 4096;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(memory) + kPage - 1) / kPage * kPage;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(memory) + bytes) / kPage * kPage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace sda::lda

#endif  // SDA_LDA_GIBBS_MEMORY_H_
