#include "lda/ep/ep_dense.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <numeric>

#include "lda/ep/ep_matching.h"

namespace sda::lda {

EpDense::EpDense(const EpProblem& problem, bool match_log)
    : problem_(problem), match_log_(match_log), topics_(problem.topics()) {
  const KeyedRows& prior = problem.prior;
  for (const uint64_t word : problem.index.words) place_of_.try_emplace(word, place_of_.size());
  for (size_t r = 0; r < prior.rows(); ++r) place_of_.try_emplace(prior.key(r), place_of_.size());
  width_ = place_of_.size() + 1;
  words_at_.assign(width_, 1.0);
  words_at_.back() = static_cast<double>(problem.vocabulary - place_of_.size());
  matched_.resize(width_);
  sums_.resize(topics_);
  lambda_.resize(topics_ * width_);
  omega_.assign(problem.messages.size() * topics_ * width_, 0.0);
  for (size_t k = 0; k < topics_; ++k) {
    for (const auto& [word, place] : place_of_) Lambda(k)[place] = prior.At(word)[k];
    Lambda(k).back() = prior.default_row()[k];
  }
  for (size_t i = 0; i < problem.messages.size(); ++i) {
    const EpMessage& message = problem.messages[i];
    const double* start = problem.StartOf(message);
    for (size_t k = 0; start != nullptr && k < topics_; ++k) {
      Omega(i, k)[message.word] = start[k];
      Lambda(k)[message.word] += message.copies * start[k];
    }
  }
  cavity_ = lambda_;
}

double EpDense::Memory(double messages, double words, double topics) {
  return (messages + 3) * topics * (words + 1) * sizeof(double);
}

void EpDense::BeginSweep() { before_ = lambda_; }

double EpDense::EndSweep() {
  double change = 0;
  for (size_t i = 0; i < lambda_.size(); ++i) {
    change += words_at_[i % width_] * std::abs(lambda_[i] - before_[i]);
  }
  return change;
}

bool EpDense::TakeOut(size_t message, double* of_word, double* sums) {
  message_ = message;
  place_ = problem_.messages[message].word;
  bool positive = true;
  for (size_t k = 0; k < topics_; ++k) {
    const double* lambda = lambda_.data() + k * width_;
    const double* omega = Omega(message, k);
    double* cavity = cavity_.data() + k * width_;
    sums_[k] = 0;
    for (size_t u = 0; u < width_; ++u) {
      cavity[u] = lambda[u] - omega[u];
      positive &= cavity[u] > 0 || words_at_[u] == 0;
      sums_[k] += words_at_[u] * cavity[u];
    }
    sums[k] = sums_[k];
    of_word[k] = cavity[place_];
  }
  return positive;
}

void EpDense::Match(double r, std::span<const double> cavity, double sum,
                    std::span<double> matched) const {
  std::copy(cavity.begin(), cavity.end(), matched.begin());
  if (!match_log_) {
    double squares = 0;
    for (size_t u = 0; u < width_; ++u) squares += words_at_[u] * cavity[u] * cavity[u];
    const EpMatch match = MatchMoments(r, cavity[place_], sum, squares);
    for (double& x : matched) x *= match.scale;
    matched[place_] += match.entry;
    return;
  }
  if (problem_.vocabulary == 1) {
    matched[place_] += r;
    return;
  }
  // psi(x + 1) = psi(x) + 1 / x.
  std::vector<double> target(width_);
  const double common = boost::math::digamma(sum) + r / sum;
  for (size_t u = 0; u < width_; ++u) {
    // A place that no word has does not matter; any target will do.
    target[u] = boost::math::digamma(words_at_[u] > 0 ? cavity[u] : sum) - common;
  }
  target[place_] += r / cavity[place_];
  if (words_at_.back() == 0) matched.back() = sum;
  MatchLog(target, words_at_, matched);
}

void EpDense::Replace(const double* responsibilities) {
  const double keep = 1 - problem_.damping;
  const double copies = problem_.messages[message_].copies;
  for (size_t k = 0; k < topics_; ++k) {
    Match(responsibilities[k], {cavity_.data() + k * width_, width_}, sums_[k], matched_);
    double* omega = Omega(message_, k);
    double* lambda = lambda_.data() + k * width_;
    for (size_t u = 0; u < width_; ++u) {
      const double change = keep * (matched_[u] - lambda[u]);
      lambda[u] += change;
      omega[u] += change / copies;
    }
  }
}

void EpDense::Row(uint64_t word, double* row) const {
  const auto found = place_of_.find(word);
  const size_t place = found == place_of_.end() ? width_ - 1 : found->second;
  for (size_t k = 0; k < topics_; ++k) row[k] = lambda_[k * width_ + place];
}

void EpDense::DefaultRow(double* row) const {
  for (size_t k = 0; k < topics_; ++k) row[k] = lambda_[k * width_ + width_ - 1];
}

}  // namespace sda::lda
