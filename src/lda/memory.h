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

// Asks for large pages for memory that is not written yet: the sampler accesses it at random, and
// spends an eighth of its time on the address translation of small ones. Without large pages this
// has no effect.
inline void PreferLargePages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef __linux__
  constexpr size_t kPage = 4096;
  const size_t to_page = (kPage - reinterpret_cast<uintptr_t>(memory) % kPage) % kPage;
  if (bytes < to_page + kPage) return;
  madvise(static_cast<char*>(memory) + to_page, (bytes - to_page) / kPage * kPage, MADV_HUGEPAGE);
#endif
}

}  // namespace sda::lda

#endif  // SDA_LDA_MEMORY_H_
