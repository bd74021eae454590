#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/row_chunks.h"
#include "sda/keyed_rows.h"
#include "sda/over_time.h"

namespace sda {
namespace {

bool AllZero(std::span<const double> row) {
  return std::all_of(row.begin(), row.end(), [](double x) { return x == 0; });
}

// As AddTimes().
void MoveRow(const double* towards, double discount, size_t width, double* row) {
  for (size_t k = 0; k < width; ++k) row[k] = (row[k] - towards[k]) * discount + towards[k];
}

}  // namespace

KeyedRows& KeyedRows::AddScaled(const KeyedRows& other, double sign, ThreadPool* pool) {
  CheckWidth(width(), other.width());
  if (words_ && other.word_changes_ && sign == 1) {
    FoldWords(other, pool);
  } else {
    AddRows(other, sign, pool);
  }
  return *this;
}

void KeyedRows::AddRows(const KeyedRows& other, double sign, ThreadPool* pool) {
  auto add = [this, sign](const double* change, double* row) {
    AddTimes(sign, change, width(), row);
  };
  // Rows that other gives its default.
  if (!AllZero(other.default_row_)) {
    ForEachChunk(pool, rows(), width(), [&](size_t first, size_t last) {
      for (size_t r = first; r < last; ++r) {
        if (other.Find(keys_[r], r) == kNone) add(other.default_row_.data(), Data(r));
      }
    });
  }
  // Rows of other's own; new ones start from the default this had before.
  std::atomic<bool> some_new = false;
  std::vector<char> is_new(other.rows());
  ForEachChunk(pool, other.rows(), width(), [&](size_t first, size_t last) {
    size_t hint = first;
    for (size_t r = first; r < last; ++r) {
      const size_t found = Find(other.keys_[r], hint);
      hint = found + 1;
      is_new[r] = found == kNone;
      if (is_new[r]) {
        some_new.store(true, std::memory_order_relaxed);
      } else {
        add(other.Data(r), Data(found));
      }
    }
  });
  for (size_t r = 0; some_new && r < other.rows(); ++r) {
    if (is_new[r]) add(other.Data(r), Data(FindOrMake(other.keys_[r])));
  }
  add(other.default_row_.data(), default_row_.data());
  add(other.totals_.data(), totals_.data());
  variances_.Add(other.variances_, sign, pool);
  if (other.over_time_) AddOverTime(other, sign);
}

void KeyedRows::AddOverTime(const KeyedRows& other, double sign) {
  if (sign != 1) return over_time_.reset();
  if (!over_time_) return SetOverTime(*other.over_time_);
  over_time_->Add(*other.over_time_);
}

void KeyedRows::MoveTowards(const KeyedRows& prior, double discount, ThreadPool* pool) {
  CheckWidth(width(), prior.width());
  auto move = [this, discount](const double* towards, double* row) {
    MoveRow(towards, discount, width(), row);
  };
  ForEachChunk(pool, rows(), width(), [&](size_t first, size_t last) {
    for (size_t r = first; r < last; ++r) {
      const size_t of_prior = prior.Find(keys_[r], r);
      move(of_prior == kNone ? prior.default_row_.data() : prior.Data(of_prior), Data(r));
    }
  });
  move(prior.default_row_.data(), default_row_.data());
  move(prior.totals_.data(), totals_.data());
  variances_.Add(prior.variances_, -1, pool);
  variances_.Multiply(discount * discount);
  variances_.Add(prior.variances_, 1, pool);
}

void DiscountTowards(const KeyedRows& prior, double discount, KeyedRows* params, ThreadPool* pool) {
  for (size_t r = 0; r < prior.rows(); ++r) params->FindOrMake(prior.keys_[r], r);
  params->MoveTowards(prior, discount, pool);
}

void DiscountPartTowards(const KeyedRows& prior, const KeyedRows::Selection& selection,
                         double discount, KeyedRows* params, ThreadPool* pool) {
  if (selection.everything) return DiscountTowards(prior, discount, params, pool);
  params->MoveTowards(prior, discount, pool);
}

KeyedRows& KeyedRows::operator*=(double factor) {
  ForEachChunk(nullptr, rows(), width(), [this, factor](size_t first, size_t last) {
    for (size_t r = first; r < last; ++r) {
      double* row = Data(r);
      for (size_t k = 0; k < width(); ++k) row[k] *= factor;
    }
  });
  for (double& x : default_row_) x *= factor;
  for (double& x : totals_) x *= factor;
  variances_.Multiply(factor * factor);
  return *this;
}

double MaxRelativeDifference(const KeyedRows& a, const KeyedRows& b) {
  CheckWidth(a.width(), b.width());
  double worst = 0;
  auto compare = [&worst](std::span<const double> x, std::span<const double> y) {
    for (size_t k = 0; k < x.size(); ++k) {
      if (x[k] == y[k]) continue;
      const double difference = std::abs(x[k] - y[k]) / std::max(std::abs(x[k]), std::abs(y[k]));
      if (!(difference <= worst)) worst = difference;
    }
  };
  compare(a.default_row(), b.default_row());
  compare(a.totals(), b.totals());
  for (size_t r = 0; r < a.rows(); ++r) compare(a.row(r), b.At(a.key(r)));
  for (size_t r = 0; r < b.rows(); ++r) compare(b.row(r), a.At(b.key(r)));
  return worst;
}

}  // namespace sda
