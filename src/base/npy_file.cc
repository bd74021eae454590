#include "base/npy_file.h"

#include <fmt/format.h>

#include <stdexcept>

namespace sda {

// Of one length whatever the number of rows is, so that it can be written again at the end.
std::string NpyFile::Header() const {
  constexpr size_t kBytes = 128;  // NumPy wants a multiple of 64
  constexpr size_t kPreamble = 10;
  const uint64_t first = order_ == Order::kC ? rows_ : columns_;
  const uint64_t second = order_ == Order::kC ? columns_ : rows_;
  std::string text = fmt::format("{{'descr': '<f8', 'fortran_order': {}, 'shape': ({}, {}), }}",
                                 order_ == Order::kFortran ? "True" : "False", first, second);
  text.resize(kBytes - kPreamble - 1, ' ');
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(kBytes - kPreamble);
  header += '\0';
  return header + text + '\n';
}

NpyFile::NpyFile(const std::string& path, uint64_t columns, Order order)
    : file_(path), columns_(columns), order_(order) {
  file_.Write(Header());
}

void NpyFile::WriteRow(std::span<const double> row) {
  if (row.size() != columns_) throw std::logic_error("a row of another length");
  file_.Write(row.data(), row.size_bytes());
  ++rows_;
}

void NpyFile::Commit() {
  file_.WriteAt(0, Header());
  file_.Commit();
}

}  // namespace sda
