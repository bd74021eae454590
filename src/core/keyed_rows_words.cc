// KeyedRows whose keys are words that come and go.

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/row_chunks.h"
#include "sda/keyed_rows.h"
#include "sda/word_ledger.h"

namespace sda {

void KeyedRows::SetWords(WordLedger words) {
  words_ = std::make_shared<WordLedger>(std::move(words));
}

void KeyedRows::SetWordChanges(WordChanges changes) {
  word_changes_ = std::make_shared<const WordChanges>(std::move(changes));
}

void KeyedRows::CopyWords(const KeyedRows& other, const Selection& selection) {
  word_changes_ = other.word_changes_;
  if (!other.words_) {
    words_.reset();
  } else if (selection.everything) {
    SetWords(*other.words_);
  } else {
    SetWords(other.words_->Part(selection.keys));
  }
}

void KeyedRows::FoldWords(const KeyedRows& change, ThreadPool* pool) {
  const std::vector<uint64_t> left = words_->Fold(*change.word_changes_);
  if (left.empty()) {
    AddRows(change, 1, pool);
  } else {
    KeyedRows known = change;
    known.Remove(left);
    AddRows(known, 1, pool);
  }
  Remove(words_->Leave([this](uint64_t key) {
    const std::span<const double> row = At(key);
    double mass = 0;
    for (size_t k = 0; k < width(); ++k) mass += row[k] - default_row_[k];
    return mass;
  }));
}

void KeyedRows::MapKeys(const std::function<uint64_t(uint64_t key)>& map) {
  for (uint64_t& key : keys_) key = map(key);
  std::fill(table_.begin(), table_.end(), 0);
  if (!table_.empty()) Enter(0, rows());
  variances_.MapKeys(map);
}

void KeyedRows::Remove(const std::vector<uint64_t>& keys) {
  if (keys.empty()) return;
  const std::unordered_set<uint64_t> removed(keys.begin(), keys.end());
  size_t kept = 0;
  for (size_t r = 0; r < rows(); ++r) {
    if (removed.contains(keys_[r])) {
      for (size_t k = 0; k < width(); ++k) totals_[k] -= Data(r)[k] - default_row_[k];
      continue;
    }
    if (kept < r) {
      keys_[kept] = keys_[r];
      std::copy_n(Data(r), width(), Data(kept));
    }
    ++kept;
  }
  keys_.resize(kept);
  next_ = 0;
  std::fill(table_.begin(), table_.end(), 0);
  if (!table_.empty()) Enter(0, rows());
  variances_.Remove(keys);
}

}  // namespace sda
