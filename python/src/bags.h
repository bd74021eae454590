#ifndef SDA_PYTHON_BAGS_H_
#define SDA_PYTHON_BAGS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sda/documents.h"

namespace sda::python {

// A matrix of word counts that is the caller's, a row for each document: read where it lies, of any
// kind of number and width of index.
class Bags {
 public:
  virtual ~Bags() = default;

  virtual size_t rows() const = 0;
  // Words; their ids are below it.
  virtual size_t columns() const = 0;

  // Looks at every entry. Throws InputError naming the row, the column and the value of one that is
  // no count: not a number, negative, too large. Returns where a weight is that is not a whole
  // number, such as "X[3, 5] is 0.25"; empty if there is none.
  virtual std::string Check() const = 0;

  // At most this number of entries are in the rows [first, last); 0: not known.
  virtual size_t Entries(size_t first, size_t last) const = 0;

  // Appends a row as a document with the number row + 1, its words ascending, each once; the
  // entries of a word are added up. Zeros are left out. Throws as Check() does.
  virtual void Append(size_t row, Documents* documents) const = 0;
};

// Rows [first, last) as documents: all of them, or those alone that have a word.
Documents DocumentsOf(const Bags& bags, size_t first, size_t last, bool empty_ones_too);

// Of arrays that must outlive it; `kind` is NumPy's letter for the kind of number (b, i, u, f),
// `bytes` its size. Throws UsageError for other kinds, and InputError if indptr is not one.
struct Array {
  const void* data = nullptr;
  char kind = 'f';
  size_t bytes = 8;
};
std::unique_ptr<Bags> NewCsrBags(const Array& data, const Array& indices, const Array& indptr,
                                 size_t entries, size_t rows, size_t columns);
std::unique_ptr<Bags> NewDenseBags(const Array& data, size_t rows, size_t columns,
                                   int64_t row_stride, int64_t column_stride);
// Documents that are in the library's form already.
std::unique_ptr<Bags> NewDocumentBags(Documents documents, size_t columns);

}  // namespace sda::python

#endif  // SDA_PYTHON_BAGS_H_
