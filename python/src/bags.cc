#include "bags.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "matrix_bags.h"
#include "sda/errors.h"

namespace sda::python {
namespace {

constexpr double kMostCount = std::numeric_limits<uint32_t>::max();
constexpr size_t kMostColumns = size_t{1} << 24;  // as everywhere in the library

void CheckColumns(size_t columns) {
  if (columns <= kMostColumns) return;
  throw InputError("X has " + std::to_string(columns) + " columns, must have at most " +
                   std::to_string(kMostColumns));
}

}  // namespace

std::string Text(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return std::string(buffer, end);
}

std::string Place(size_t row, size_t column) {
  return "X[" + std::to_string(row) + ", " + std::to_string(column) + "]";
}

bool CheckCount(double value, size_t row, size_t column) {
  if (std::isnan(value) || std::isinf(value)) {
    throw InputError("Input X contains NaN or infinity: " + Place(row, column) + " is " +
                     Text(value) + ", must be a count");
  }
  if (value < 0) {
    throw InputError("Negative values in data passed to X: " + Place(row, column) + " is " +
                     Text(value) + ", must be at least 0");
  }
  if (value > kMostCount) {
    throw InputError(Place(row, column) + " is " + Text(value) + ", must be at most " +
                     Text(kMostCount));
  }
  return value == std::floor(value);
}

void RefuseIndex(int64_t entry, int64_t index, size_t columns) {
  throw InputError("X.indices[" + std::to_string(entry) + "] is " + std::to_string(index) +
                   ", must be below the " + std::to_string(columns) + " columns");
}

void AppendEntries(std::vector<Entry>* entries, size_t row, Documents* documents) {
  const auto not_after = [](const Entry& a, const Entry& b) { return a.word >= b.word; };
  if (std::adjacent_find(entries->begin(), entries->end(), not_after) != entries->end()) {
    std::stable_sort(entries->begin(), entries->end(),
                     [](const Entry& a, const Entry& b) { return a.word < b.word; });
    size_t last = 0;
    for (size_t i = 1; i < entries->size(); ++i) {
      if ((*entries)[i].word == (*entries)[last].word) {
        (*entries)[last].value += (*entries)[i].value;
      } else {
        (*entries)[++last] = (*entries)[i];
      }
    }
    entries->resize(last + 1);
  }
  for (const Entry& entry : *entries) {
    const bool whole = CheckCount(entry.value, row, entry.word);
    if (!whole && documents->weights.empty()) {
      documents->weights.assign(documents->counts.begin(), documents->counts.end());
    }
    documents->words.push_back(entry.word);
    documents->counts.push_back(static_cast<uint32_t>(std::ceil(entry.value)));
    if (!whole || !documents->weights.empty()) {
      documents->weights.push_back(static_cast<float>(entry.value));
    }
  }
  documents->offsets.push_back(documents->words.size());
  documents->numbers.push_back(row + 1);
}

Documents DocumentsOf(const Bags& bags, size_t first, size_t last, bool empty_ones_too) {
  Documents documents;
  const size_t entries = bags.Entries(first, last);
  documents.words.reserve(entries);
  documents.counts.reserve(entries);
  documents.offsets.reserve(last - first + 1);
  documents.numbers.reserve(last - first);
  for (size_t row = first; row < last; ++row) {
    bags.Append(row, &documents);
    if (empty_ones_too || documents.offsets.back() > documents.offsets[documents.size() - 1]) {
      continue;
    }
    documents.offsets.pop_back();
    documents.numbers.pop_back();
  }
  return documents;
}

namespace {

class DocumentBags : public Bags {
 public:
  DocumentBags(Documents documents, size_t columns)
      : documents_(std::move(documents)), columns_(columns) {}

  size_t rows() const override { return documents_.size(); }
  size_t columns() const override { return columns_; }
  std::string Check() const override { return ""; }
  size_t Entries(size_t first, size_t last) const override {
    return documents_.offsets[last] - documents_.offsets[first];
  }
  void Append(size_t row, Documents* documents) const override {
    AppendDocuments(Slice(documents_, row, row + 1), documents);
  }

 private:
  const Documents documents_;
  const size_t columns_;
};

// Calls use(a null pointer to the type) for the type of the array's numbers.
template <class Use>
std::unique_ptr<Bags> WithType(const Array& array, Use use) {
  switch (array.kind) {
    case 'b':
    case 'u':
      if (array.bytes == 1) return use(static_cast<const uint8_t*>(array.data));
      if (array.bytes == 2) return use(static_cast<const uint16_t*>(array.data));
      if (array.bytes == 4) return use(static_cast<const uint32_t*>(array.data));
      if (array.bytes == 8) return use(static_cast<const uint64_t*>(array.data));
      break;
    case 'i':
      if (array.bytes == 1) return use(static_cast<const int8_t*>(array.data));
      if (array.bytes == 2) return use(static_cast<const int16_t*>(array.data));
      if (array.bytes == 4) return use(static_cast<const int32_t*>(array.data));
      if (array.bytes == 8) return use(static_cast<const int64_t*>(array.data));
      break;
    case 'f':
      if (array.bytes == 4) return use(static_cast<const float*>(array.data));
      if (array.bytes == 8) return use(static_cast<const double*>(array.data));
      break;
    default:
      break;
  }
  throw UsageError(std::string("X has numbers of the kind ") + array.kind +
                   std::to_string(8 * array.bytes) + ", must be integers or floats");
}

}  // namespace

std::unique_ptr<Bags> NewCsrBags(const Array& data, const Array& indices, const Array& indptr,
                                 size_t entries, size_t rows, size_t columns) {
  CheckColumns(columns);
  return WithType(data, [&](const auto* values) -> std::unique_ptr<Bags> {
    using T = std::remove_cvref_t<decltype(*values)>;
    if (indices.bytes == 4) {
      return std::make_unique<CsrBags<T, int32_t>>(
          values, static_cast<const int32_t*>(indices.data),
          static_cast<const int32_t*>(indptr.data), entries, rows, columns);
    }
    return std::make_unique<CsrBags<T, int64_t>>(values, static_cast<const int64_t*>(indices.data),
                                                 static_cast<const int64_t*>(indptr.data), entries,
                                                 rows, columns);
  });
}

std::unique_ptr<Bags> NewDenseBags(const Array& data, size_t rows, size_t columns,
                                   int64_t row_stride, int64_t column_stride) {
  CheckColumns(columns);
  return WithType(data, [&](const auto* values) -> std::unique_ptr<Bags> {
    using T = std::remove_cvref_t<decltype(*values)>;
    return std::make_unique<DenseBags<T>>(values, rows, columns, row_stride, column_stride);
  });
}

std::unique_ptr<Bags> NewDocumentBags(Documents documents, size_t columns) {
  return std::make_unique<DocumentBags>(std::move(documents), columns);
}

}  // namespace sda::python
