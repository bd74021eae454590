// What rows keep for the next ones, and that nothing of it outlives them. Every allocation of the
// size of a block is counted.

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <numeric>
#include <optional>
#include <vector>

#include "sda/keyed_rows.h"

namespace {

constexpr size_t kBlockBytes = (size_t{1} << 15) * sizeof(double);
std::atomic<int64_t> blocks_made = 0;
std::atomic<int64_t> blocks_freed = 0;

void Free(void* block) noexcept {
  if (block != nullptr && malloc_usable_size(block) >= kBlockBytes) ++blocks_freed;
  std::free(block);
}

}  // namespace

void* operator new[](size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  if (malloc_usable_size(block) >= kBlockBytes) ++blocks_made;
  return block;
}
void operator delete[](void* block) noexcept { Free(block); }
void operator delete[](void* block, size_t) noexcept { Free(block); }

namespace sda {
namespace {

constexpr size_t kWidth = 100;
constexpr size_t kRows = 1000;  // more than two blocks

KeyedRows Difference(const KeyedRows& prior) {
  std::vector<uint64_t> keys(kRows);
  std::iota(keys.begin(), keys.end(), 0);
  return prior.Difference(
      keys, [](size_t, double* row) { std::fill_n(row, kWidth, 1.0); }, nullptr);
}

TEST(KeyedRowsMemory, BlocksAreUsedAgainByRowsOfTheSameOriginAndFreedWithTheLastOfThem) {
  const int64_t alive = blocks_made - blocks_freed;
  std::optional<KeyedRows> prior(std::vector<double>(kWidth, 0.5));
  Difference(*prior);
  const int64_t made = blocks_made;
  EXPECT_GT(made - blocks_freed, alive) << "nothing was kept";
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Difference(*prior).rows(), kRows);
  EXPECT_EQ(blocks_made, made) << "nothing was used again";
  {
    KeyedRows copy;
    std::optional<KeyedRows> change = Difference(*prior);
    change->CopyTo({}, &copy);
    prior.reset();
    change.reset();
    EXPECT_EQ(copy.At(7)[0], 1);
    EXPECT_GT(blocks_made - blocks_freed, alive);
  }
  EXPECT_EQ(blocks_made - blocks_freed, alive) << "something outlives the last rows";
}

TEST(KeyedRowsMemory, RowsOfAnotherOriginHaveBlocksOfTheirOwn) {
  const KeyedRows first(std::vector<double>(kWidth, 0.5));
  Difference(first);
  const int64_t made = blocks_made;
  const KeyedRows second(std::vector<double>(kWidth, 0.5));
  Difference(second);
  EXPECT_GT(blocks_made, made);
}

TEST(KeyedRowsMemory, AHundredModelsLeaveNothing) {
  const int64_t alive = blocks_made - blocks_freed;
  for (int i = 0; i < 100; ++i) {
    KeyedRows posterior(std::vector<double>(kWidth, 0.5));
    for (int minibatch = 0; minibatch < 3; ++minibatch) posterior += Difference(posterior);
    EXPECT_EQ(posterior.At(1)[1], 3.5);
  }
  EXPECT_EQ(blocks_made - blocks_freed, alive);
}

}  // namespace
}  // namespace sda
