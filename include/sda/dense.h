#ifndef SDA_DENSE_H_
#define SDA_DENSE_H_

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// Natural parameters as one vector of doubles of fixed length.
//
// This class and KeyedRows are the two natural-parameter spaces of the library. A space of your own
// needs the same members (the concept NaturalParameters in parameters.h states them):
//   +=, -=, *=            the vector-space operations; -= of equal values gives the zero of +=
//   Selection             which part of the parameters a minibatch touches; {} means all of them
//   CopyTo(selection, o)  o becomes a copy of that part; memory o holds already is used again
//   Serialize()           all of it as bytes, and Deserialize() back, equal bit for bit
//   MaxRelativeDifference over all pairs of numbers: |a - b| / max(|a|, |b|), 0 where both are
//   equal
class Dense {
 public:
  struct Selection {};

  Dense() = default;
  explicit Dense(size_t size, double value = 0) : values_(size, value) {}
  Dense(std::initializer_list<double> values) : values_(values) {}
  explicit Dense(std::vector<double> values) : values_(std::move(values)) {}

  size_t size() const { return values_.size(); }
  double* data() { return values_.data(); }
  const double* data() const { return values_.data(); }
  double& operator[](size_t i) { return values_[i]; }
  double operator[](size_t i) const { return values_[i]; }
  const std::vector<double>& values() const { return values_; }

  // Both sides have the same size, or std::logic_error is thrown.
  Dense& operator+=(const Dense& other);
  Dense& operator-=(const Dense& other);
  Dense& operator*=(double factor);

  void CopyTo(const Selection&, Dense* out) const { out->values_ = values_; }

  std::string Serialize() const;
  // Throws InputError if bytes are not what Serialize() returns.
  static Dense Deserialize(std::string_view bytes);

  bool operator==(const Dense&) const = default;

 private:
  std::vector<double> values_;
};

double MaxRelativeDifference(const Dense& a, const Dense& b);

}  // namespace sda

#endif  // SDA_DENSE_H_
