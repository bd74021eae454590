#ifndef SDA_PYTHON_MATRIX_BAGS_H_
#define SDA_PYTHON_MATRIX_BAGS_H_

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "bags.h"
#include "sda/errors.h"

namespace sda::python {

// The words and values of a document.
struct Entry {
  uint32_t word;
  double value;
};

// Takes the entries of one document in any order, and appends them.
void AppendEntries(std::vector<Entry>* entries, size_t row, Documents* documents);

// For messages: a number, and a place such as X[3, 5].
std::string Text(double value);
std::string Place(size_t row, size_t column);

// Whether a number is a whole one; throws InputError if it is no count at all.
bool CheckCount(double value, size_t row, size_t column);

// Of a word that is not among the columns: throws the InputError.
[[noreturn]] void RefuseIndex(int64_t entry, int64_t index, size_t columns);

// Whether it is a count, and a whole number, at once.
template <class T>
bool IsWholeCount(T value) {
  if constexpr (std::is_unsigned_v<T>) return value <= std::numeric_limits<uint32_t>::max();
  if constexpr (std::is_integral_v<T>) {
    return value >= 0 && static_cast<uint64_t>(value) <= std::numeric_limits<uint32_t>::max();
  } else {
    return value >= 0 && value < 4294967296.0 &&
           value == static_cast<T>(static_cast<uint32_t>(value));
  }
}

// Compressed sparse rows. Index: of entries and of words.
template <class T, class Index>
class CsrBags : public Bags {
 public:
  CsrBags(const T* data, const Index* indices, const Index* indptr, size_t entries, size_t rows,
          size_t columns)
      : data_(data), indices_(indices), indptr_(indptr), rows_(rows), columns_(columns) {
    for (size_t row = 0; row <= rows; ++row) {
      const int64_t here = indptr[row];
      const int64_t before = row == 0 ? 0 : indptr[row - 1];
      if (here < before || here > static_cast<int64_t>(entries) || (row == 0 && here != 0)) {
        throw InputError("X.indptr[" + std::to_string(row) + "] is " + std::to_string(here) +
                         ", must be from " + std::to_string(before) + " to " +
                         std::to_string(row == 0 ? 0 : entries));
      }
    }
  }

  size_t rows() const override { return rows_; }
  size_t columns() const override { return columns_; }

  std::string Check() const override {
    std::string fraction;
    for (size_t row = 0; row < rows_; ++row) {
      for (Index i = indptr_[row]; i < indptr_[row + 1]; ++i) {
        CheckIndex(i);
        if (IsWholeCount(data_[i])) continue;
        const double value = static_cast<double>(data_[i]);
        if (!CheckCount(value, row, indices_[i]) && fraction.empty()) {
          fraction = Place(row, indices_[i]) + " is " + Text(value);
        }
      }
    }
    return fraction;
  }

  size_t Entries(size_t first, size_t last) const override {
    return indptr_[last] - indptr_[first];
  }

  void Append(size_t row, Documents* documents) const override {
    if (AppendCounts(row, documents)) return;
    std::vector<Entry> entries;
    for (Index i = indptr_[row]; i < indptr_[row + 1]; ++i) {
      CheckIndex(i);
      if (data_[i] == T(0)) continue;
      const auto value = static_cast<double>(data_[i]);
      CheckCount(value, row, indices_[i]);
      entries.push_back({static_cast<uint32_t>(indices_[i]), value});
    }
    AppendEntries(&entries, row, documents);
  }

 private:
  bool IsColumn(Index index) const { return index >= 0 && static_cast<size_t>(index) < columns_; }
  void CheckIndex(Index i) const {
    if (IsColumn(indices_[i])) return;
    RefuseIndex(i, indices_[i], columns_);
  }

  // What most rows are: counts of ascending words, and no zeros. Changes nothing, and returns
  // false, where a row is not.
  bool AppendCounts(size_t row, Documents* documents) const {
    if (!documents->weights.empty()) return false;
    const Index begin = indptr_[row], end = indptr_[row + 1];
    bool plain = begin == end || (indices_[begin] >= 0 && IsColumn(indices_[end - 1]));
    for (Index i = begin; i < end; ++i) {
      plain &= IsWholeCount(data_[i]) & (data_[i] != T(0));
      plain &= i == begin || indices_[i] > indices_[i - 1];
    }
    if (!plain) return false;
    documents->words.insert(documents->words.end(), indices_ + begin, indices_ + end);
    documents->counts.insert(documents->counts.end(), data_ + begin, data_ + end);
    documents->offsets.push_back(documents->words.size());
    documents->numbers.push_back(row + 1);
    return true;
  }

  const T* const data_;
  const Index* const indices_;
  const Index* const indptr_;
  const size_t rows_;
  const size_t columns_;
};

// Any layout: strides are in numbers, not bytes.
template <class T>
class DenseBags : public Bags {
 public:
  DenseBags(const T* data, size_t rows, size_t columns, int64_t row_stride, int64_t column_stride)
      : data_(data),
        rows_(rows),
        columns_(columns),
        row_stride_(row_stride),
        column_stride_(column_stride) {}

  size_t rows() const override { return rows_; }
  size_t columns() const override { return columns_; }

  std::string Check() const override {
    std::string fraction;
    for (size_t row = 0; row < rows_; ++row) {
      for (size_t column = 0; column < columns_; ++column) {
        if (!CheckCount(At(row, column), row, column) && fraction.empty()) {
          fraction = Place(row, column) + " is " + Text(At(row, column));
        }
      }
    }
    return fraction;
  }

  size_t Entries(size_t, size_t) const override { return 0; }

  void Append(size_t row, Documents* documents) const override {
    std::vector<Entry> entries;
    for (size_t column = 0; column < columns_; ++column) {
      const double value = At(row, column);
      if (value != 0) entries.push_back({static_cast<uint32_t>(column), value});
    }
    AppendEntries(&entries, row, documents);
  }

 private:
  double At(size_t row, size_t column) const {
    return static_cast<double>(data_[static_cast<int64_t>(row) * row_stride_ +
                                     static_cast<int64_t>(column) * column_stride_]);
  }

  const T* const data_;
  const size_t rows_;
  const size_t columns_;
  const int64_t row_stride_;
  const int64_t column_stride_;
};

}  // namespace sda::python

#endif  // SDA_PYTHON_MATRIX_BAGS_H_
