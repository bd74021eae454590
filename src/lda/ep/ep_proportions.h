#ifndef SDA_LDA_EP_EP_PROPORTIONS_H_
#define SDA_LDA_EP_EP_PROPORTIONS_H_

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "lda/ep/ep_matching.h"
#include "lda/ep/ep_topics.h"

namespace sda::lda {

// The documents' side: gamma, and zeta of the messages. Arrays are documents or messages x topics.
class EpProportions {
 public:
  EpProportions(const EpProblem& problem, const std::vector<double>& alpha, bool match_log,
                size_t documents)
      : problem_(problem),
        match_log_(match_log),
        keep_(1 - problem.damping),
        topics_(problem.topics()),
        zeta_(problem.messages.size() * topics_),
        cavity_(topics_) {
    for (size_t d = 0; d < documents; ++d) gamma_.insert(gamma_.end(), alpha.begin(), alpha.end());
    for (size_t i = 0; i < problem.messages.size(); ++i) {
      const EpMessage& message = problem.messages[i];
      const double* start = problem.StartOf(message);
      for (size_t k = 0; start != nullptr && k < topics_; ++k) {
        zeta_[i * topics_ + k] = start[k];
        gamma_[message.document * topics_ + k] += message.copies * start[k];
      }
    }
  }

  void BeginSweep() { before_ = gamma_; }
  double EndSweep() const {
    double change = 0;
    for (size_t i = 0; i < gamma_.size(); ++i) change += std::abs(gamma_[i] - before_[i]);
    return change;
  }

  // As in EpTopics.
  bool TakeOut(size_t message) {
    message_ = message;
    const double* gamma = Gamma();
    const double* zeta = zeta_.data() + message * topics_;
    bool positive = true;
    for (size_t k = 0; k < topics_; ++k) {
      cavity_[k] = gamma[k] - zeta[k];
      positive &= cavity_[k] > 0;
    }
    return positive;
  }
  std::span<const double> cavity() const { return cavity_; }
  void Replace(std::span<const double> responsibilities) {
    match_log_ ? MatchProportionsLog(responsibilities, cavity_)
               : MatchProportions(responsibilities, cavity_);
    double* gamma = Gamma();
    double* zeta = zeta_.data() + message_ * topics_;
    const double copies = problem_.messages[message_].copies;
    for (size_t k = 0; k < topics_; ++k) {
      const double change = keep_ * (cavity_[k] - gamma[k]);
      gamma[k] += change;
      zeta[k] += change / copies;
    }
  }

 private:
  double* Gamma() { return gamma_.data() + problem_.messages[message_].document * topics_; }

  const EpProblem& problem_;
  const bool match_log_;
  const double keep_;
  const size_t topics_;
  std::vector<double> gamma_, before_, zeta_;
  std::vector<double> cavity_;  // of the message; then what matches
  size_t message_ = 0;
};

}  // namespace sda::lda

#endif  // SDA_LDA_EP_EP_PROPORTIONS_H_
