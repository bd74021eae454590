#include "lda/ep_history.h"

#include <algorithm>
#include <cmath>

#include "lda/ep_matching.h"
#include "lda/inference.h"

namespace sda::lda {
namespace {

// The base is settled when the diagonal of the matrix, which is 1 then, has come down to this,
constexpr double kLeastScale = 0.5;
// or after as many steps as there are words, and at least these.
constexpr size_t kFewestSteps = 100;

}  // namespace

EpHistory::EpHistory(const EpProblem& problem)
    : problem_(problem),
      topics_(problem.topics()),
      words_(problem.index.size()),
      keep_(1 - problem.damping),
      others_sum_(TopicSums(problem.prior, problem.vocabulary)),
      others_squares_(topics_),
      own_(topics_),
      cavity_word_(topics_),
      cavity_sum_(topics_),
      cavity_squares_(topics_) {
  const KeyedRows& prior = problem.prior;
  const auto squares = [&](std::span<const double> row, double times) {
    for (size_t k = 0; k < topics_; ++k) others_squares_[k] += times * row[k] * row[k];
  };
  const auto& words = problem.index.words;
  uint64_t with_row = words_;
  for (size_t r = 0; r < prior.rows(); ++r) {
    if (std::binary_search(words.begin(), words.end(), prior.key(r))) continue;
    squares(prior.row(r), 1);
    ++with_row;
  }
  squares(prior.default_row(), static_cast<double>(problem.vocabulary - with_row));

  std::vector<double>& start = starts_.emplace_back((words_ + 1) * topics_, 1.0);
  for (size_t w = 0; w < words_; ++w) {
    const auto row = RowOf(prior, problem.index, w);
    std::copy(row.begin(), row.end(), start.begin() + w * topics_);
    for (size_t k = 0; k < topics_; ++k) others_sum_[k] -= row[k];
  }
  if (problem.vocabulary == words_) std::fill(others_sum_.begin(), others_sum_.end(), 0.0);
  base_.reserve((words_ + 1) * problem.sweeps * topics_);
  for (const EpMessage& message : problem.messages) {
    const double* from = problem.StartOf(message);
    double* row = start.data() + message.word * topics_;
    for (size_t k = 0; from != nullptr && k < topics_; ++k) row[k] += message.copies * from[k];
  }
}

uint64_t EpHistory::Memory(uint64_t messages, uint64_t words, uint64_t topics, uint64_t sweeps) {
  const uint64_t kept = sweeps * (2 * topics * sizeof(double) + 1);
  return messages * kept + (words + 1) * topics * sizeof(double) * (2 * sweeps + 1);
}

void EpHistory::BeginSweep() {
  level_ = sweeps_.size();
  Sweep& sweep = sweeps_.emplace_back();
  const size_t numbers = problem_.messages.size() * topics_;
  sweep.scale.resize(numbers);
  sweep.entry.resize(numbers);
  sweep.skipped.assign(problem_.messages.size(), 0);

  base_.resize((words_ + 1) * levels() * topics_);
  for (size_t row = 0; row <= words_; ++row) {
    for (size_t l = 0; l < levels(); ++l) {
      std::copy_n(starts_[l].data() + row * topics_, topics_, Base(row) + l * topics_);
    }
  }
  for (auto* matrix : {&matrix_, &step_, &base_products_}) matrix->assign(Cell(levels(), 0), 0.0);
  for (size_t l = 0; l < levels(); ++l) std::fill_n(matrix_.data() + Cell(l, l), topics_, 1.0);
  for (auto* levels_of : {&base_sums_, &at_word_, &next_word_, &weights_, &coordinates_}) {
    levels_of->assign(levels() * topics_, 0.0);
  }
  Settle();
}

double EpHistory::EndSweep() {
  Settle();
  const std::vector<double>& before = starts_.back();
  std::vector<double> after(before.size());
  double change = 0;
  for (size_t row = 0; row <= words_; ++row) {
    for (size_t k = 0; k < topics_; ++k) {
      const size_t i = row * topics_ + k;
      after[i] = Base(row)[level_ * topics_ + k];
      change += std::abs(after[i] - before[i]) * (row < words_ ? 1 : others_sum_[k]);
    }
  }
  starts_.push_back(std::move(after));
  return change;
}

bool EpHistory::TakeOut(size_t message, double* of_word, double* sums) {
  message_ = message;
  ReadWord();
  const double* start = problem_.StartOf(problem_.messages[message]);
  for (size_t k = 0; k < topics_; ++k) own_[k] = start == nullptr ? 0 : start[k];
  for (size_t l = 0; l < level_; ++l) ReplayStep(l);
  FindCavity(of_word, sums);
  return std::all_of(of_word, of_word + topics_, [](double x) { return x > 0; });
}

// X_l of the message's word.
void EpHistory::ReadWord() {
  const double* base = Base(problem_.messages[message_].word);
  for (size_t l = 0; l < levels(); ++l) {
    double* out = at_word_.data() + l * topics_;
    std::fill_n(out, topics_, 0.0);
    for (size_t m = 0; m <= l; ++m) {
      const double* factor = matrix_.data() + Cell(l, m);
      const double* from = base + m * topics_;
      for (size_t k = 0; k < topics_; ++k) out[k] += factor[k] * from[k];
    }
  }
}

// What sweep `level` did to X_level and to the message, from what it knew of the message.
void EpHistory::ReplayStep(size_t level) {
  const Sweep& sweep = sweeps_[level];
  double* next = next_word_.data() + level * topics_;
  const double* now = at_word_.data() + level * topics_;
  double* weight = weights_.data() + level * topics_;
  double* diagonal = step_.data() + Cell(level, level);
  if (sweep.skipped[message_] != 0) {
    for (size_t m = 0; m < level; ++m) std::fill_n(step_.data() + Cell(level, m), topics_, 0.0);
    std::fill_n(diagonal, topics_, 1.0);
    std::fill_n(weight, topics_, 0.0);
    std::copy_n(now, topics_, next);
    return;
  }
  const double* scale = sweep.scale.data() + message_ * topics_;
  const double* entry = sweep.entry.data() + message_ * topics_;
  const double share = keep_ / problem_.messages[message_].copies;
  for (size_t k = 0; k < topics_; ++k) {
    diagonal[k] = 1 + keep_ * (scale[k] - 1);
    next[k] = diagonal[k] * now[k] + keep_ * (entry[k] - scale[k] * own_[k]);
    own_[k] += share * (entry[k] - scale[k] * own_[k]);
    weight[k] = share * (scale[k] - 1);
  }
  for (size_t m = 0; m < level; ++m) {
    double* cell = step_.data() + Cell(level, m);
    double* earlier = weights_.data() + m * topics_;
    const double* at_word = at_word_.data() + m * topics_;
    for (size_t k = 0; k < topics_; ++k) {
      cell[k] = -keep_ * scale[k] * earlier[k];
      next[k] += cell[k] * at_word[k];
      earlier[k] -= share * scale[k] * earlier[k];
    }
  }
}

// cavity = X_J - sum of w_l X_l - b e_v.
void EpHistory::FindCavity(double* of_word, double* sums) {
  const double* current = at_word_.data() + level_ * topics_;
  std::copy_n(current, topics_, of_word);
  std::fill_n(weights_.data() + level_ * topics_, topics_, -1.0);
  std::fill(coordinates_.begin(), coordinates_.end(), 0.0);
  for (size_t l = 0; l < levels(); ++l) {
    const double* weight = weights_.data() + l * topics_;
    const double* at_word = at_word_.data() + l * topics_;
    for (size_t k = 0; l < level_ && k < topics_; ++k) of_word[k] -= weight[k] * at_word[k];
    for (size_t m = 0; m <= l; ++m) {
      const double* factor = matrix_.data() + Cell(l, m);
      double* to = coordinates_.data() + m * topics_;
      for (size_t k = 0; k < topics_; ++k) to[k] -= weight[k] * factor[k];
    }
  }
  std::fill_n(sums, topics_, 0.0);
  std::fill(cavity_squares_.begin(), cavity_squares_.end(), 0.0);
  for (size_t m = 0; m < levels(); ++m) {
    const double* coordinate = coordinates_.data() + m * topics_;
    const double* base_sum = base_sums_.data() + m * topics_;
    for (size_t k = 0; k < topics_; ++k) sums[k] += coordinate[k] * base_sum[k];
    for (size_t q = 0; q <= m; ++q) {
      const double times = q < m ? 2 : 1;
      const double* other = coordinates_.data() + q * topics_;
      const double* product = base_products_.data() + Cell(m, q);
      for (size_t k = 0; k < topics_; ++k) {
        cavity_squares_[k] += times * coordinate[k] * other[k] * product[k];
      }
    }
  }
  for (size_t k = 0; k < topics_; ++k) {
    cavity_squares_[k] -= own_[k] * (2 * of_word[k] - own_[k]);
    of_word[k] -= own_[k];
    sums[k] -= own_[k];
  }
  std::copy_n(of_word, topics_, cavity_word_.begin());
  std::copy_n(sums, topics_, cavity_sum_.begin());
}

void EpHistory::Replace(const double* responsibilities) {
  double* scale = sweeps_[level_].scale.data() + message_ * topics_;
  double* entry = sweeps_[level_].entry.data() + message_ * topics_;
  for (size_t k = 0; k < topics_; ++k) {
    const EpMatch match =
        MatchMoments(responsibilities[k], cavity_word_[k], cavity_sum_[k], cavity_squares_[k]);
    scale[k] = match.scale;
    entry[k] = match.entry;
  }
  Advance();
}

void EpHistory::PutBack() {
  sweeps_[level_].skipped[message_] = 1;
  if (level_ > 0) Advance();
}

// Makes the step, that of this sweep and those that are replayed.
void EpHistory::Advance() {
  ReplayStep(level_);
  double* base = Base(problem_.messages[message_].word);
  AddToBase(-1, base);
  for (size_t l = levels(); l-- > 0;) {
    for (size_t m = 0; m <= l; ++m) {
      double* cell = matrix_.data() + Cell(l, m);
      const double* diagonal = step_.data() + Cell(l, l);
      for (size_t k = 0; k < topics_; ++k) cell[k] *= diagonal[k];
      for (size_t q = m; q < l; ++q) {
        const double* factor = step_.data() + Cell(l, q);
        const double* from = matrix_.data() + Cell(q, m);
        for (size_t k = 0; k < topics_; ++k) cell[k] += factor[k] * from[k];
      }
    }
  }
  for (size_t l = 0; l < levels(); ++l) {  // base = matrix^-1 next_word_
    double* out = base + l * topics_;
    std::copy_n(next_word_.data() + l * topics_, topics_, out);
    for (size_t m = 0; m < l; ++m) {
      const double* factor = matrix_.data() + Cell(l, m);
      const double* from = base + m * topics_;
      for (size_t k = 0; k < topics_; ++k) out[k] -= factor[k] * from[k];
    }
    const double* diagonal = matrix_.data() + Cell(l, l);
    for (size_t k = 0; k < topics_; ++k) out[k] /= diagonal[k];
  }
  AddToBase(1, base);

  bool settle = ++steps_ >= std::max(words_, kFewestSteps);
  for (size_t l = 0; l < levels(); ++l) {
    const double* diagonal = matrix_.data() + Cell(l, l);
    for (size_t k = 0; k < topics_; ++k) {
      settle |= !(diagonal[k] > kLeastScale);
    }
  }
  if (settle) Settle();
}

// A word's part in the sums and inner products.
void EpHistory::AddToBase(double sign, const double* base) {
  for (size_t m = 0; m < levels(); ++m) {
    const double* a = base + m * topics_;
    double* sum = base_sums_.data() + m * topics_;
    for (size_t k = 0; k < topics_; ++k) sum[k] += sign * a[k];
    for (size_t q = 0; q <= m; ++q) {
      const double* b = base + q * topics_;
      double* product = base_products_.data() + Cell(m, q);
      for (size_t k = 0; k < topics_; ++k) product[k] += sign * a[k] * b[k];
    }
  }
}

// base <- matrix * base, and what follows from it.
void EpHistory::Settle() {
  std::fill(base_sums_.begin(), base_sums_.end(), 0.0);
  std::fill(base_products_.begin(), base_products_.end(), 0.0);
  for (size_t row = 0; row <= words_; ++row) {
    double* base = Base(row);
    for (size_t l = levels(); l-- > 0;) {
      double* out = base + l * topics_;
      const double* diagonal = matrix_.data() + Cell(l, l);
      for (size_t k = 0; k < topics_; ++k) out[k] *= diagonal[k];
      for (size_t m = 0; m < l; ++m) {
        const double* factor = matrix_.data() + Cell(l, m);
        const double* from = base + m * topics_;
        for (size_t k = 0; k < topics_; ++k) out[k] += factor[k] * from[k];
      }
    }
    if (row < words_) AddToBase(1, base);
  }
  const double* others = Base(words_);
  for (size_t m = 0; m < levels(); ++m) {
    for (size_t k = 0; k < topics_; ++k) {
      const double a = others[m * topics_ + k];
      base_sums_[m * topics_ + k] += a * others_sum_[k];
      for (size_t q = 0; q <= m; ++q) {
        base_products_[Cell(m, q) + k] += a * others[q * topics_ + k] * others_squares_[k];
      }
    }
  }
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
  for (size_t l = 0; l < levels(); ++l) std::fill_n(matrix_.data() + Cell(l, l), topics_, 1.0);
  steps_ = 0;
}

void EpHistory::Row(uint64_t word, double* row) const {
  const auto& words = problem_.index.words;
  const auto found = std::lower_bound(words.begin(), words.end(), word);
  const std::vector<double>& lambda = starts_.back();
  if (found != words.end() && *found == word) {
    std::copy_n(lambda.data() + (found - words.begin()) * topics_, topics_, row);
    return;
  }
  const auto prior = problem_.prior.At(word);
  for (size_t k = 0; k < topics_; ++k) row[k] = prior[k] * lambda[words_ * topics_ + k];
}

void EpHistory::DefaultRow(double* row) const {
  const auto prior = problem_.prior.default_row();
  for (size_t k = 0; k < topics_; ++k) row[k] = prior[k] * starts_.back()[words_ * topics_ + k];
}

}  // namespace sda::lda
