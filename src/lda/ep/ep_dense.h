#ifndef SDA_LDA_EP_EP_DENSE_H_
#define SDA_LDA_EP_EP_DENSE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "lda/ep/ep_topics.h"

namespace sda::lda {

// Lambda and messages as they are: a number for each topic and word in every message. Words without
// a row in the prior and in the minibatch are alike and stay so: they share a number. For matching
// of E[log], which is not linear in the cavity; and of moments, for EpHistory to be compared with.
class EpDense : public EpTopics {
 public:
  EpDense(const EpProblem& problem, bool match_log);

  void BeginSweep() override;
  double EndSweep() override;
  bool TakeOut(size_t message, double* of_word, double* sums) override;
  void Replace(const double* responsibilities) override;
  void PutBack() override {}
  void Row(uint64_t word, double* row) const override;
  void DefaultRow(double* row) const override;

  // An upper bound on the memory, in bytes.
  static double Memory(double messages, double words, double topics);

 private:
  std::span<double> Lambda(size_t topic) { return {lambda_.data() + topic * width_, width_}; }
  double* Omega(size_t message, size_t topic) {
    return omega_.data() + (message * topics_ + topic) * width_;
  }
  void Match(double r, std::span<const double> cavity, double sum, std::span<double> matched) const;

  const EpProblem& problem_;
  const bool match_log_;
  const size_t topics_;
  std::unordered_map<uint64_t, size_t> place_of_;  // of words with a place of their own
  size_t width_;                                   // their number, and 1 for all others
  std::vector<double> words_at_;                   // the number of words that have this place
  std::vector<double> lambda_, before_, cavity_;   // topics x width
  std::vector<double> omega_;                      // messages x topics x width
  std::vector<double> sums_;                       // of the cavity
  std::vector<double> matched_;                    // width
  size_t message_ = 0;
  size_t place_ = 0;  // of its word
};

}  // namespace sda::lda

#endif  // SDA_LDA_EP_EP_DENSE_H_
