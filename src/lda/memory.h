#ifndef SDA_LDA_MEMORY_H_
#define SDA_LDA_MEMORY_H_

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

namespace sda::lda {

// Aligned memory whose numbers are not set. Throws std::bad_alloc.
template <class T>
hwy::AlignedFreeUniquePtr<T[]> Allocate(size_t count) {
  auto memory = hwy::AllocateAligned<T>(std::max<size_t>(count, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

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

#endif  // SDA_LDA_MEMORY_H_
