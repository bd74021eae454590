#include "lda/ep/ep_history.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "lda/ep/ep_matching.h"
#include "lda/topic_rows.h"

namespace sda::lda {
namespace {

// Sums over the words that the minibatch does not have of the prior's parameters, or their squares.
std::vector<double> SumsOfOthers(const EpProblem& problem, double (*of)(double)) {
  std::vector<double> sums(problem.topics(), 0.0);
  const auto add = [&](std::span<const double> row, double times) {
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += times * of(row[k]);
  };
  const KeyedRows& prior = problem.prior;
  const auto& words = problem.index.words;
  uint64_t left = problem.vocabulary - words.size();
  for (size_t r = 0; r < prior.rows(); ++r) {
    if (std::binary_search(words.begin(), words.end(), prior.key(r))) continue;
    add(prior.row(r), 1);
    --left;
  }
  add(prior.default_row(), static_cast<double>(left));
  return sums;
}

// The prior and the messages where they start, for the minibatch's words; 1 for all others.
std::vector<double> FirstTopics(const EpProblem& problem) {
  const size_t topics = problem.topics();
  std::vector<double> first((problem.index.size() + 1) * topics, 1.0);
  for (size_t w = 0; w < problem.index.size(); ++w) {
    const auto row = RowOf(problem.prior, problem.index.words, w);
    std::copy(row.begin(), row.end(), first.begin() + w * topics);
  }
  for (const EpMessage& message : problem.messages) {
    const double* start = problem.StartOf(message);
    double* row = first.data() + message.word * topics;
    for (size_t k = 0; start != nullptr && k < topics; ++k) row[k] += message.copies * start[k];
  }
  return first;
}

}  // namespace

EpHistory::EpHistory(const EpProblem& problem)
    : problem_(problem),
      topics_(problem.topics()),
      keep_(1 - problem.damping),
      others_sum_(SumsOfOthers(problem, [](double x) { return x; })),
      starts_({FirstTopics(problem)}),
      past_(words(), others_sum_, SumsOfOthers(problem, [](double x) { return x * x; })),
      own_(topics_),
      cavity_word_(topics_),
      cavity_sum_(topics_),
      cavity_squares_(topics_) {}

double EpHistory::Memory(double messages, double words, double topics, double sweeps) {
  const double kept = sweeps * (2 * topics * sizeof(double) + 1);
  return messages * kept + (words + 1) * topics * sizeof(double) * (3 * sweeps + 1);
}

void EpHistory::BeginSweep() {
  Sweep& sweep = sweeps_.emplace_back();
  sweep.scale.resize(problem_.messages.size() * topics_);
  sweep.entry.resize(problem_.messages.size() * topics_);
  sweep.skipped.assign(problem_.messages.size(), 0);
  past_.Start(starts_);
  for (auto* of_sweeps : {&at_word_, &next_word_, &weights_}) {
    of_sweeps->assign(sweeps_.size() * topics_, 0.0);
  }
  step_.assign(past_.Cell(sweeps_.size(), 0), 0.0);
}

double EpHistory::EndSweep() {
  std::vector<double> after = past_.Last();
  const std::vector<double>& before = starts_.back();
  double change = 0;
  for (size_t i = 0; i < after.size(); ++i) {
    const double times = i < words() * topics_ ? 1 : others_sum_[i - words() * topics_];
    change += times * std::abs(after[i] - before[i]);
  }
  starts_.push_back(std::move(after));
  return change;
}

// cavity = X_J + sum of w_l X_l - b e_v.
bool EpHistory::TakeOut(size_t message, double* of_word, double* sums) {
  message_ = message;
  past_.Read(problem_.messages[message].word, at_word_.data());
  const double* start = problem_.StartOf(problem_.messages[message]);
  for (size_t k = 0; k < topics_; ++k) own_[k] = start == nullptr ? 0 : start[k];
  const size_t current = sweeps_.size() - 1;
  for (size_t l = 0; l < current; ++l) ReplayStep(l);

  std::fill_n(weights_.data() + current * topics_, topics_, 1.0);
  past_.Sums(weights_.data(), cavity_sum_.data(), cavity_squares_.data());
  bool positive = true;
  for (size_t k = 0; k < topics_; ++k) {
    double without_own = 0;
    for (size_t i = k; i < at_word_.size(); i += topics_) without_own += weights_[i] * at_word_[i];
    cavity_squares_[k] -= own_[k] * (2 * without_own - own_[k]);
    of_word[k] = cavity_word_[k] = without_own - own_[k];
    sums[k] = cavity_sum_[k] -= own_[k];
    positive &= of_word[k] > 0;
  }
  return positive;
}

// What that sweep did to its X and to the message, from what it knew of the message.
void EpHistory::ReplayStep(size_t sweep) {
  const double* now = at_word_.data() + sweep * topics_;
  double* next = next_word_.data() + sweep * topics_;
  double* weight = weights_.data() + sweep * topics_;
  double* diagonal = step_.data() + past_.Cell(sweep, sweep);
  if (sweeps_[sweep].skipped[message_] != 0) {
    std::fill(step_.data() + past_.Cell(sweep, 0), diagonal, 0.0);
    std::fill_n(diagonal, topics_, 1.0);
    std::fill_n(weight, topics_, 0.0);
    std::copy_n(now, topics_, next);
    return;
  }
  const double* scale = sweeps_[sweep].scale.data() + message_ * topics_;
  const double* entry = sweeps_[sweep].entry.data() + message_ * topics_;
  const double share = keep_ / problem_.messages[message_].copies;
  for (size_t k = 0; k < topics_; ++k) {
    diagonal[k] = 1 + keep_ * (scale[k] - 1);
    next[k] = diagonal[k] * now[k] + keep_ * (entry[k] - scale[k] * own_[k]);
    own_[k] += share * (entry[k] - scale[k] * own_[k]);
    weight[k] = share * (1 - scale[k]);
  }
  for (size_t m = 0; m < sweep; ++m) {
    double* cell = step_.data() + past_.Cell(sweep, m);
    double* earlier = weights_.data() + m * topics_;
    const double* at_word = at_word_.data() + m * topics_;
    for (size_t k = 0; k < topics_; ++k) {
      cell[k] = keep_ * scale[k] * earlier[k];
      next[k] += cell[k] * at_word[k];
      earlier[k] -= share * scale[k] * earlier[k];
    }
  }
}

void EpHistory::Replace(const double* responsibilities) {
  double* scale = sweeps_.back().scale.data() + message_ * topics_;
  double* entry = sweeps_.back().entry.data() + message_ * topics_;
  for (size_t k = 0; k < topics_; ++k) {
    const EpMatch match =
        MatchMoments(responsibilities[k], cavity_word_[k], cavity_sum_[k], cavity_squares_[k]);
    scale[k] = match.scale;
    entry[k] = match.entry;
  }
  Advance();
}

void EpHistory::PutBack() {
  sweeps_.back().skipped[message_] = 1;
  Advance();
}

// Makes the update of this sweep, and those that are replayed.
void EpHistory::Advance() {
  ReplayStep(sweeps_.size() - 1);
  past_.Step(step_.data(), problem_.messages[message_].word, next_word_.data());
}

void EpHistory::Row(uint64_t word, double* row) const {
  const auto& words_of = problem_.index.words;
  const auto found = std::lower_bound(words_of.begin(), words_of.end(), word);
  const std::vector<double>& lambda = starts_.back();
  if (found != words_of.end() && *found == word) {
    std::copy_n(lambda.data() + (found - words_of.begin()) * topics_, topics_, row);
    return;
  }
  const auto prior = problem_.prior.At(word);
  for (size_t k = 0; k < topics_; ++k) row[k] = prior[k] * lambda[words() * topics_ + k];
}

void EpHistory::DefaultRow(double* row) const {
  const auto prior = problem_.prior.default_row();
  for (size_t k = 0; k < topics_; ++k) row[k] = prior[k] * starts_.back()[words() * topics_ + k];
}

}  // namespace sda::lda
