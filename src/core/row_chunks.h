#ifndef SDA_CORE_ROW_CHUNKS_H_
#define SDA_CORE_ROW_CHUNKS_H_

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "sda/thread_pool.h"

namespace sda {

inline void CheckWidth(size_t expected, size_t actual) {
  if (expected != actual) {
    throw std::logic_error("rows of widths " + std::to_string(expected) + " and " +
                           std::to_string(actual) + " do not go together");
  }
}

// Rows of that width that are worth a thread's while.
inline size_t ChunkRows(size_t width) {
  return std::max<size_t>(1, (size_t{1} << 13) / std::max<size_t>(1, width));
}

// body(first, last) for chunks of rows 0 .. count - 1 of that width, shared by the threads.
template <class Body>
void ForEachChunk(ThreadPool* pool, size_t count, size_t width, const Body& body) {
  const size_t chunk = ChunkRows(width);
  auto run_chunk = [&](size_t i) { body(i * chunk, std::min(count, (i + 1) * chunk)); };
  const size_t chunks = (count + chunk - 1) / chunk;
  if (pool != nullptr && chunks > 1) return pool->ParallelFor(chunks, run_chunk);
  for (size_t i = 0; i < chunks; ++i) run_chunk(i);
}

// A loop on its own, with the factor a copy: the compiler sees that nothing changes it meanwhile,
// and makes vectors of it.
inline void AddTimes(double factor, const double* change, size_t width, double* row) {
  for (size_t k = 0; k < width; ++k) row[k] += factor * change[k];
}

}  // namespace sda

#endif  // SDA_CORE_ROW_CHUNKS_H_
