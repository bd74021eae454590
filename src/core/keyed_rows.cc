#include "sda/keyed_rows.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "base/hash.h"

namespace sda {
namespace {

constexpr size_t kBlockNumbers = size_t{1} << 15;
constexpr size_t kMostSpareBlocks = 4096;  // 1 GiB, no more than was in use at one time

bool AllZero(std::span<const double> row) {
  return std::all_of(row.begin(), row.end(), [](double x) { return x == 0; });
}

void CheckWidth(size_t expected, size_t actual) {
  if (expected != actual) {
    throw std::logic_error("rows of widths " + std::to_string(expected) + " and " +
                           std::to_string(actual) + " do not go together");
  }
}

// Rows of that width that are worth a thread's while.
size_t ChunkRows(size_t width) {
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

// Loops on their own, with the factor a copy: the compiler sees that nothing changes it meanwhile,
// and makes vectors of them.
void AddTimes(double factor, const double* change, size_t width, double* row) {
  for (size_t k = 0; k < width; ++k) row[k] += factor * change[k];
}

void MoveRow(const double* towards, double discount, size_t width, double* row) {
  for (size_t k = 0; k < width; ++k) row[k] = (row[k] - towards[k]) * discount + towards[k];
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
  for (size_t i = SpreadBits(key) & mask; table_[i] != 0; i = (i + 1) & mask) {
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
  for (size_t r = first; r < last; ++r) {
    size_t i = SpreadBits(keys_[r]) & mask;
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

KeyedRows& KeyedRows::AddScaled(const KeyedRows& other, double sign, ThreadPool* pool) {
  CheckWidth(width(), other.width());
  auto add = [this, sign](const double* change, double* row) {
    AddTimes(sign, change, width(), row);
  };
  // Rows that other gives its default.
  if (!AllZero(other.default_row_)) {
    ForEachChunk(pool, rows(), width(), [&](size_t first, size_t last) {
      for (size_t r = first; r < last; ++r) {
        if (other.Find(keys_[r], r) == kNone) add(other.default_row_.data(), Data(r));
      }
    });
  }
  // Rows of other's own; new ones start from the default this had before.
  std::atomic<bool> some_new = false;
  std::vector<char> is_new(other.rows());
  ForEachChunk(pool, other.rows(), width(), [&](size_t first, size_t last) {
    size_t hint = first;
    for (size_t r = first; r < last; ++r) {
      const size_t found = Find(other.keys_[r], hint);
      hint = found + 1;
      is_new[r] = found == kNone;
      if (is_new[r]) {
        some_new.store(true, std::memory_order_relaxed);
      } else {
        add(other.Data(r), Data(found));
      }
    }
  });
  for (size_t r = 0; some_new && r < other.rows(); ++r) {
    if (is_new[r]) add(other.Data(r), Data(FindOrMake(other.keys_[r])));
  }
  add(other.default_row_.data(), default_row_.data());
  add(other.totals_.data(), totals_.data());
  return *this;
}

void KeyedRows::MoveTowards(const KeyedRows& prior, double discount, ThreadPool* pool) {
  CheckWidth(width(), prior.width());
  auto move = [this, discount](const double* towards, double* row) {
    MoveRow(towards, discount, width(), row);
  };
  ForEachChunk(pool, rows(), width(), [&](size_t first, size_t last) {
    for (size_t r = first; r < last; ++r) {
      const size_t of_prior = prior.Find(keys_[r], r);
      move(of_prior == kNone ? prior.default_row_.data() : prior.Data(of_prior), Data(r));
    }
  });
  move(prior.default_row_.data(), default_row_.data());
  move(prior.totals_.data(), totals_.data());
}

void DiscountTowards(const KeyedRows& prior, double discount, KeyedRows* params, ThreadPool* pool) {
  for (size_t r = 0; r < prior.rows(); ++r) params->FindOrMake(prior.keys_[r], r);
  params->MoveTowards(prior, discount, pool);
}

void DiscountPartTowards(const KeyedRows& prior, const KeyedRows::Selection& selection,
                         double discount, KeyedRows* params, ThreadPool* pool) {
  if (selection.everything) return DiscountTowards(prior, discount, params, pool);
  params->MoveTowards(prior, discount, pool);
}

KeyedRows& KeyedRows::operator*=(double factor) {
  ForEachChunk(nullptr, rows(), width(), [this, factor](size_t first, size_t last) {
    for (size_t r = first; r < last; ++r) {
      double* row = Data(r);
      for (size_t k = 0; k < width(); ++k) row[k] *= factor;
    }
  });
  for (double& x : default_row_) x *= factor;
  for (double& x : totals_) x *= factor;
  return *this;
}

void KeyedRows::CopyTo(const Selection& selection, KeyedRows* out, ThreadPool* pool) const {
  if (out == this) return KeyedRows(*this).CopyTo(selection, out, pool);
  out->spare_ = spare_;
  out->Reset(default_row_);
  out->totals_ = totals_;
  const std::vector<uint64_t>& keys = selection.everything ? keys_ : selection.keys;
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

double MaxRelativeDifference(const KeyedRows& a, const KeyedRows& b) {
  CheckWidth(a.width(), b.width());
  double worst = 0;
  auto compare = [&worst](std::span<const double> x, std::span<const double> y) {
    for (size_t k = 0; k < x.size(); ++k) {
      if (x[k] == y[k]) continue;
      const double difference = std::abs(x[k] - y[k]) / std::max(std::abs(x[k]), std::abs(y[k]));
      if (!(difference <= worst)) worst = difference;
    }
  };
  compare(a.default_row(), b.default_row());
  compare(a.totals(), b.totals());
  for (size_t r = 0; r < a.rows(); ++r) compare(a.row(r), b.At(a.key(r)));
  for (size_t r = 0; r < b.rows(); ++r) compare(b.row(r), a.At(b.key(r)));
  return worst;
}

}  // namespace sda
