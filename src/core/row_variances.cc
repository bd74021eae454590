#include "sda/row_variances.h"

#include <utility>

#include "sda/errors.h"
#include "sda/keyed_rows.h"

namespace sda {
namespace {

// The first byte of what is written.
constexpr char kUnknown = 0;
constexpr char kZero = 1;
constexpr char kRows = 2;

}  // namespace

RowVariances::RowVariances() = default;
RowVariances::RowVariances(RowVariances&&) noexcept = default;
RowVariances& RowVariances::operator=(RowVariances&&) noexcept = default;
RowVariances::~RowVariances() = default;

RowVariances::RowVariances(KeyedRows rows) : rows_(std::make_unique<KeyedRows>(std::move(rows))) {}

RowVariances RowVariances::Unknown() {
  RowVariances unknown;
  unknown.known_ = false;
  return unknown;
}

RowVariances::RowVariances(const RowVariances& other)
    : known_(other.known_),
      rows_(other.rows_ ? std::make_unique<KeyedRows>(*other.rows_) : nullptr) {}

RowVariances& RowVariances::operator=(const RowVariances& other) {
  if (this == &other) return *this;
  known_ = other.known_;
  if (rows_ && other.rows_) {
    *rows_ = *other.rows_;  // the memory is used again
  } else {
    rows_ = other.rows_ ? std::make_unique<KeyedRows>(*other.rows_) : nullptr;
  }
  return *this;
}

std::span<const double> RowVariances::At(uint64_t key) const {
  if (!rows_) return {};
  const std::span<const double> row = rows_->At(key);
  return row.data() == rows_->default_row().data() ? std::span<const double>() : row;
}

void RowVariances::Add(const RowVariances& other, double sign, ThreadPool* pool) {
  known_ = known_ && other.known_;
  if (!known_) return rows_.reset();
  if (!other.rows_) return;
  if (!rows_) {
    rows_ = std::make_unique<KeyedRows>(std::vector<double>(other.rows_->width(), 0.0));
  }
  if (sign == 1) {
    rows_->Add(*other.rows_, pool);
  } else {
    *rows_ -= *other.rows_;
  }
}

void RowVariances::Multiply(double factor) {
  if (rows_) *rows_ *= factor;
}

void RowVariances::MapKeys(const std::function<uint64_t(uint64_t key)>& map) {
  if (rows_) rows_->MapKeys(map);
}

void RowVariances::Remove(const std::vector<uint64_t>& keys) {
  if (rows_) rows_->Remove(keys);
}

void RowVariances::Write(const std::function<void(std::string_view bytes)>& sink) const {
  const char kind = !known_ ? kUnknown : rows_ ? kRows : kZero;
  sink({&kind, 1});
  if (rows_) rows_->SerializeRowsTo(sink);
}

RowVariances RowVariances::Read(std::string_view bytes, size_t width) {
  RowVariances variances = Take(&bytes, width);
  if (!bytes.empty()) throw InputError("keyed rows have bytes to spare");
  return variances;
}

RowVariances RowVariances::Take(std::string_view* bytes, size_t width) {
  if (bytes->empty()) return Unknown();
  const char kind = bytes->front();
  bytes->remove_prefix(1);
  if (kind == kZero) return {};
  if (kind == kUnknown) return Unknown();
  if (kind != kRows) throw InputError("keyed rows have variances of an unknown kind");
  RowVariances variances(KeyedRows::TakeRows(bytes));
  if (variances.rows_->width() != width) {
    throw InputError("keyed rows have variances of another width");
  }
  return variances;
}

}  // namespace sda
