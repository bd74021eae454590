#ifndef SDA_KEYED_ROWS_H_
#define SDA_KEYED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sda/export.h"
#include "sda/row_variances.h"
#include "sda/thread_pool.h"

namespace SDA_EXPORT sda {

class OverTime;
class WordLedger;
struct WordChanges;

// Natural parameters as a function from integer keys to rows of doubles, all rows of one width.
// Finitely many keys have a row of their own; every other key has the default row. So a prior over
// an unbounded set of keys (words, categories) is its default row, and a key never seen before
// simply has the prior's row. Sums and differences are taken key by key; the difference of two
// posteriors from one prior has the zero row as default and holds only what changed.
//
// Rows live in blocks that never move, so growing never copies. Iteration (row 0, 1, ...) is in the
// order in which the keys first appeared. See dense.h for what the members mean.
class KeyedRows {
 public:
  struct Selection {
    bool everything = true;
    std::vector<uint64_t> keys;  // used when !everything; distinct
  };

  explicit KeyedRows(const std::vector<double>& default_row = {});
  KeyedRows(const KeyedRows& other);
  KeyedRows& operator=(const KeyedRows& other);
  KeyedRows(KeyedRows&&) = default;
  KeyedRows& operator=(KeyedRows&&) = default;

  // A difference to these parameters (its default row is zero) with these rows: fill(i, row) writes
  // the row of keys[i], which are distinct. The rows are shared by the threads of the pool, which
  // may be null; the result does not depend on their number. Its variances are unknown.
  KeyedRows Difference(std::span<const uint64_t> keys,
                       const std::function<void(size_t i, double* row)>& fill,
                       ThreadPool* pool) const;

  size_t width() const { return default_row_.size(); }
  size_t rows() const { return keys_.size(); }
  uint64_t key(size_t row) const { return keys_[row]; }
  std::span<const double> row(size_t row) const { return {Data(row), width()}; }
  std::span<const double> default_row() const { return default_row_; }

  // The row of a key, its own or the default one.
  std::span<const double> At(uint64_t key) const;

  // The row of key becomes this one (width() numbers), to the last bit.
  void Set(uint64_t key, std::span<const double> row);
  // The row of key becomes its row + change (width() numbers).
  void Add(uint64_t key, std::span<const double> change);

  // Per column, the sum over all keys of row - default row: with a Dirichlet's parameters as rows,
  // the observations of each component. A partial copy made by CopyTo keeps the totals of the
  // whole, because a primitive that sees only the rows of its minibatch still needs them.
  std::span<const double> totals() const { return totals_; }

  // Both sides have the same width, or std::logic_error is thrown. Where other's default row is
  // zero (a difference), the cost is that of other's rows alone.
  KeyedRows& operator+=(const KeyedRows& other) { return AddScaled(other, 1, nullptr); }
  KeyedRows& operator-=(const KeyedRows& other) { return AddScaled(other, -1, nullptr); }
  KeyedRows& operator*=(double factor);
  // += with the rows shared by the threads of the pool, which may be null. Changes nothing but the
  // time. The same holds for the pools below.
  void Add(const KeyedRows& other, ThreadPool* pool) { AddScaled(other, 1, pool); }

  // A copy of a part has no variances: they are unknown. If keys are words that come and go (see
  // words() below), those that are not there get no row.
  void CopyTo(const Selection& selection, KeyedRows* out, ThreadPool* pool = nullptr) const;

  // Those of the rows, which follow all sums, differences and discounts.
  const RowVariances& variances() const { return variances_; }
  void SetVariances(RowVariances variances) { variances_ = std::move(variances); }

  // What the rows were learnt from, added up by its time (over_time.h); null if nothing was. It
  // follows sums alone: what is discounted or multiplied has it as before. A copy of a part and a
  // difference to rows that have it have none.
  const OverTime* over_time() const { return over_time_.get(); }
  void SetOverTime(OverTime sums);
  void ClearOverTime() { over_time_.reset(); }
  // If the keys are words (WordKey()) that come and go: which there are. Null if any key may be.
  // Adding a difference with WordChanges then folds them: words are admitted, and the rows of those
  // that leave are removed, so totals() is of the words that are there.
  const WordLedger* words() const { return words_.get(); }
  void SetWords(WordLedger words);
  void ForgetWords() { words_.reset(); }
  // Of a difference: what its minibatch says about words. Null if it says nothing.
  const WordChanges* word_changes() const { return word_changes_.get(); }
  void SetWordChanges(WordChanges changes);

  // The row of each key becomes that of map(key), and so do its variances. Keys stay distinct.
  void MapKeys(const std::function<uint64_t(uint64_t key)>& map);
  // These keys have the default row again, without variances.
  void Remove(const std::vector<uint64_t>& keys);

  std::string Serialize() const;
  // The same in pieces, without a second copy of the rows in memory.
  void SerializeTo(const std::function<void(std::string_view bytes)>& sink) const;
  // Throws InputError if bytes are not what Serialize() returns.
  static KeyedRows Deserialize(std::string_view bytes);

 private:
  friend class RowVariances;
  // The rows alone, without their variances; the latter takes them off the front of bytes.
  void SerializeRowsTo(const std::function<void(std::string_view bytes)>& sink) const;
  static KeyedRows TakeRows(std::string_view* bytes);
  double* Data(size_t row) const {
    return blocks_[row / rows_per_block_].get() + row % rows_per_block_ * width();
  }
  static constexpr size_t kNone = ~size_t{0};
  // The row number of a key, kNone if it has no row. Quick if it is `hint`: sets of rows that go
  // together mostly have their keys in one order.
  size_t Find(uint64_t key, size_t hint = kNone) const;
  // A new row for a key that has none, its numbers not yet set.
  double* Append(uint64_t key);
  // The row number of key, made from the default row if it has none. Does not touch totals_.
  size_t FindOrMake(uint64_t key, size_t hint = kNone);
  // Room for that many rows in the hash table.
  void ReserveTable(size_t rows);
  KeyedRows& AddScaled(const KeyedRows& other, double sign, ThreadPool* pool);
  void AddRows(const KeyedRows& other, double sign, ThreadPool* pool);
  void FoldWords(const KeyedRows& change, ThreadPool* pool);
  // Words take part in sums and copies of the whole.
  void CopyWords(const KeyedRows& other, const Selection& selection);
  // Rows for keys that have none, in place of those that were there; their numbers are not yet set
  // and they cannot be found until each was entered in the table.
  void Allocate(std::span<const uint64_t> keys);
  // Enters rows [first, last) in the table. Several threads may do so.
  void Enter(size_t first, size_t last);
  // Each row that this has moves towards prior's row of that key; so do the totals.
  void MoveTowards(const KeyedRows& prior, double discount, ThreadPool* pool);
  friend void DiscountTowards(const KeyedRows& prior, double discount, KeyedRows* params,
                              ThreadPool* pool);
  friend void DiscountPartTowards(const KeyedRows& prior, const Selection& selection,
                                  double discount, KeyedRows* params, ThreadPool* pool);
  // No rows, this default row; the blocks stay for reuse.
  void Reset(const std::vector<double>& default_row);

  std::vector<double> default_row_;
  std::vector<double> totals_;
  std::vector<uint64_t> keys_;   // by row
  std::vector<uint32_t> table_;  // open addressing by a hash of the key: row + 1, 0 where empty
  size_t next_ = 0;              // the row after the one added to last
  size_t rows_per_block_ = 1;
  // Every minibatch makes and frees some sets of rows. Their blocks are kept for the next ones, as
  // long as some rows are left that were copied from, or are a difference to, the same rows.
  struct Spare;
  struct ReturnBlock {
    std::shared_ptr<Spare> spare;
    size_t numbers = 0;
    void operator()(double* block) const;
  };
  using Block = std::unique_ptr<double[], ReturnBlock>;
  Block TakeBlock(size_t numbers);
  std::shared_ptr<Spare> spare_;
  std::vector<Block> blocks_;
  // Adds the other's sums over time.
  void AddOverTime(const KeyedRows& other, double sign);

  RowVariances variances_;
  std::shared_ptr<OverTime> over_time_;              // of these rows alone: copies have their own
  std::shared_ptr<WordLedger> words_;                // of this alone
  std::shared_ptr<const WordChanges> word_changes_;  // never changed
};

double MaxRelativeDifference(const KeyedRows& a, const KeyedRows& b);

// As in parameters.h, in one pass over params instead of three, and without a copy of the prior.
void DiscountTowards(const KeyedRows& prior, double discount, KeyedRows* params,
                     ThreadPool* pool = nullptr);
void DiscountPartTowards(const KeyedRows& prior, const KeyedRows::Selection& selection,
                         double discount, KeyedRows* params, ThreadPool* pool = nullptr);

}  // namespace sda

#endif  // SDA_KEYED_ROWS_H_
