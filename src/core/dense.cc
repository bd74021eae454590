#include "sda/dense.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sda/errors.h"

namespace sda {
namespace {

void CheckSizes(const Dense& a, const Dense& b) {
  if (a.size() != b.size()) {
    throw std::logic_error("natural parameters of sizes " + std::to_string(a.size()) + " and " +
                           std::to_string(b.size()) + " do not go together");
  }
}

}  // namespace

Dense& Dense::operator+=(const Dense& other) {
  CheckSizes(*this, other);
  double* out = values_.data();
  const double* in = other.values_.data();
  for (size_t i = 0, n = size(); i < n; ++i) out[i] += in[i];
  return *this;
}

Dense& Dense::operator-=(const Dense& other) {
  CheckSizes(*this, other);
  double* out = values_.data();
  const double* in = other.values_.data();
  for (size_t i = 0, n = size(); i < n; ++i) out[i] -= in[i];
  return *this;
}

Dense& Dense::operator*=(double factor) {
  for (double& value : values_) value *= factor;
  return *this;
}

std::string Dense::Serialize() const {
  return {reinterpret_cast<const char*>(values_.data()), values_.size() * sizeof(double)};
}

Dense Dense::Deserialize(std::string_view bytes) {
  if (bytes.size() % sizeof(double) != 0) {
    throw InputError("dense parameters are cut off");
  }
  Dense dense(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(dense.data(), bytes.data(), bytes.size());
  return dense;
}

double MaxRelativeDifference(const Dense& a, const Dense& b) {
  CheckSizes(a, b);
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const double difference = std::abs(a[i] - b[i]) / std::max(std::abs(a[i]), std::abs(b[i]));
    // Not max(): a NaN must not be lost.
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}

}  // namespace sda
