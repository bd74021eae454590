#ifndef SDA_BASE_NPY_FILE_H_
#define SDA_BASE_NPY_FILE_H_

#include <cstdint>
#include <span>
#include <string>

#include "base/safe_file.h"

namespace sda {

// A matrix of doubles as NumPy's .npy, version 1.0, written row by row in a safe file. The number
// of rows need not be known before the end.
class NpyFile {
 public:
  // kC: rows x columns. kFortran: what is written row by row is the transpose, columns x rows.
  enum class Order { kC, kFortran };

  NpyFile(const std::string& path, uint64_t columns, Order order = Order::kC);

  // `columns` numbers.
  void WriteRow(std::span<const double> row);
  void Commit();

  uint64_t rows() const { return rows_; }

 private:
  std::string Header() const;

  SafeFile file_;
  const uint64_t columns_;
  const Order order_;
  uint64_t rows_ = 0;
};

}  // namespace sda

#endif  // SDA_BASE_NPY_FILE_H_
