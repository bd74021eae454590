#include "sda/keyed_rows.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "base/seeded_hash.h"
#include "core/row_chunks.h"
#include "sda/over_time.h"
#include "sda/word_ledger.h"

namespace sda {
namespace {

constexpr size_t kBlockNumbers = size_t{1} << 15;
constexpr size_t kMostSpareBlocks = 4096;  // 1 GiB, no more than was in use at one time

// Where the search for a key begins: keys come from the data.
const SeededHash& HashOfKeys() {
  static const SeededHash hash;
  return hash;
}

}  // namespace

// An allocator would hand memory of that size back to the system, which clears it each time.
struct KeyedRows::Spare {
  std::mutex mutex;
  std::vector<std::unique_ptr<double[]>> blocks;
};

KeyedRows::KeyedRows(const std::vector<double>& default_row) : spare_(std::make_shared<Spare>()) {
  Reset(default_row);
}

KeyedRows::KeyedRows(const KeyedRows& other) { other.CopyTo({}, this); }

KeyedRows& KeyedRows::operator=(const KeyedRows& other) {
  if (this != &other) other.CopyTo({}, this);
  return *this;
}

KeyedRows KeyedRows::Difference(std::span<const uint64_t> keys,
                                const std::function<void(size_t i, double* row)>& fill,
                                ThreadPool* pool) const {
  KeyedRows result(std::vector<double>(width(), 0.0));
  result.spare_ = spare_;
  result.variances_ = RowVariances::Unknown();
  result.Allocate(keys);
  const size_t chunk = ChunkRows(width());
  std::vector<std::vector<double>> totals((keys.size() + chunk - 1) / chunk);
  ForEachChunk(pool, keys.size(), width(), [&](size_t first, size_t last) {
    result.Enter(first, last);
    std::vector<double>& of_chunk = totals[first / chunk];
    of_chunk.assign(width(), 0.0);
    for (size_t r = first; r < last; ++r) {
      double* row = result.Data(r);
      fill(r, row);
      AddTimes(1, row, width(), of_chunk.data());
    }
  });
  for (const auto& of_chunk : totals) AddTimes(1, of_chunk.data(), width(), result.totals_.data());
  return result;
}

void KeyedRows::Reset(const std::vector<double>& default_row) {
  if (default_row.size() != width() || blocks_.empty()) {
    rows_per_block_ = std::max<size_t>(1, kBlockNumbers / std::max<size_t>(1, default_row.size()));
    blocks_.clear();
  }
  default_row_ = default_row;
  totals_.assign(width(), 0.0);
  Allocate({});
  next_ = 0;
}

KeyedRows::Block KeyedRows::TakeBlock(size_t numbers) {
  if (numbers <= kBlockNumbers) {
    std::lock_guard lock(spare_->mutex);
    if (!spare_->blocks.empty()) {
      Block block(spare_->blocks.back().release(), {spare_, numbers});
      spare_->blocks.pop_back();
      return block;
    }
  }
  return Block(new double[std::max(numbers, kBlockNumbers)], {spare_, numbers});
}

void KeyedRows::ReturnBlock::operator()(double* block) const {
  std::unique_ptr<double[]> owned(block);
  if (numbers > kBlockNumbers || spare.use_count() == 1) return;
  std::lock_guard lock(spare->mutex);
  if (spare->blocks.size() < kMostSpareBlocks) spare->blocks.push_back(std::move(owned));
}

size_t KeyedRows::Find(uint64_t key, size_t hint) const {
  if (hint < rows() && keys_[hint] == key) return hint;
  if (table_.empty()) return kNone;
  const size_t mask = table_.size() - 1;
  for (size_t i = HashOfKeys()(key) & mask; table_[i] != 0; i = (i + 1) & mask) {
    if (keys_[table_[i] - 1] == key) return table_[i] - 1;
  }
  return kNone;
}

void KeyedRows::ReserveTable(size_t rows) {
  if (rows >= std::numeric_limits<uint32_t>::max()) throw std::length_error("too many keyed rows");
  if (2 * rows <= table_.size()) return;
  table_.assign(std::bit_ceil(std::max<size_t>(16, 4 * rows)), 0);
  Enter(0, keys_.size());
}

void KeyedRows::Enter(size_t first, size_t last) {
  const size_t mask = table_.size() - 1;
  const SeededHash& hash = HashOfKeys();
  for (size_t r = first; r < last; ++r) {
    size_t i = hash(keys_[r]) & mask;
    uint32_t empty = 0;
    while (!std::atomic_ref(table_[i]).compare_exchange_strong(empty, static_cast<uint32_t>(r + 1),
                                                               std::memory_order_relaxed)) {
      i = (i + 1) & mask;
      empty = 0;
    }
  }
}

void KeyedRows::Allocate(std::span<const uint64_t> keys) {
  keys_.clear();
  std::fill(table_.begin(), table_.end(), 0);
  ReserveTable(keys.size());
  keys_.assign(keys.begin(), keys.end());
  while (blocks_.size() * rows_per_block_ < keys.size()) {
    blocks_.push_back(TakeBlock(rows_per_block_ * width()));
  }
}

double* KeyedRows::Append(uint64_t key) {
  ReserveTable(rows() + 1);
  if (rows() == blocks_.size() * rows_per_block_) {
    blocks_.push_back(TakeBlock(rows_per_block_ * width()));
  }
  keys_.push_back(key);
  Enter(rows() - 1, rows());
  return Data(rows() - 1);
}

size_t KeyedRows::FindOrMake(uint64_t key, size_t hint) {
  const size_t found = Find(key, hint);
  if (found != kNone) return found;
  std::copy(default_row_.begin(), default_row_.end(), Append(key));
  return rows() - 1;
}

std::span<const double> KeyedRows::At(uint64_t key) const {
  const size_t found = Find(key);
  return found == kNone ? default_row() : row(found);
}

void KeyedRows::Set(uint64_t key, std::span<const double> row) {
  CheckWidth(width(), row.size());
  double* const own = Data(FindOrMake(key));
  for (size_t k = 0; k < width(); ++k) totals_[k] += row[k] - own[k];
  std::copy(row.begin(), row.end(), own);
}

void KeyedRows::Add(uint64_t key, std::span<const double> change) {
  CheckWidth(width(), change.size());
  const size_t r = FindOrMake(key, next_);
  next_ = r + 1;
  double* row = Data(r);
  for (size_t k = 0; k < width(); ++k) {
    row[k] += change[k];
    totals_[k] += change[k];
  }
}

void KeyedRows::SetOverTime(OverTime sums) {
  CheckWidth(width(), sums.topics());
  over_time_ = std::make_shared<OverTime>(std::move(sums));
}

void KeyedRows::CopyTo(const Selection& selection, KeyedRows* out, ThreadPool* pool) const {
  if (out == this) return KeyedRows(*this).CopyTo(selection, out, pool);
  out->spare_ = spare_;
  out->Reset(default_row_);
  out->totals_ = totals_;
  out->variances_ = selection.everything ? variances_ : RowVariances::Unknown();
  out->over_time_.reset();
  if (selection.everything && over_time_) out->SetOverTime(*over_time_);
  out->CopyWords(*this, selection);
  std::vector<uint64_t> known;
  if (words_ && !selection.everything) {
    for (const WordLedger::Word& word : out->words_->words()) known.push_back(word.key);
  }
  const std::vector<uint64_t>& keys = selection.everything ? keys_
                                      : words_             ? known
                                                           : selection.keys;
  out->Allocate(keys);
  ForEachChunk(pool, keys.size(), width(), [&](size_t first, size_t last) {
    out->Enter(first, last);
    size_t hint = first;
    for (size_t r = first; r < last; ++r) {
      const size_t found = Find(keys[r], hint);
      hint = found + 1;
      std::copy_n(found == kNone ? default_row_.data() : Data(found), width(), out->Data(r));
    }
  });
}

}  // namespace sda
