#ifndef SDA_LDA_EP_EP_HISTORY_H_
#define SDA_LDA_EP_EP_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lda/ep/ep_topics.h"
#include "lda/ep/lazy_vectors.h"

namespace sda::lda {

// Lambda and messages where moments are matched, without V numbers for a message. Of one topic:
//
// An update of message i, with word v and n copies, makes of lambda (with k = 1 - damping)
//
//   lambda' = lambda + k ((s - 1) lambda - s omega_i + e e_v)
//   omega_i' = omega_i + (lambda' - lambda) / n
//
// where s and e are the scale and the entry of EpMatch. So omega_i is a combination of e_v and of
// what lambda was when the message was visited in each sweep, X_0, X_1, ... To have these again,
// a sweep replays all sweeps before it in step with its own updates. That needs s and e of each
// sweep, two numbers a message, and no omega:
//
//   omega = b e_v - sum over l of w_l X_l:  in sweep l,  w_m <- w_m (1 - k s / n) for m < l,
//                                           w_l = k (1 - s) / n,  b <- b (1 - k s / n) + k e / n
//
// An update and its replays change X_0 ... X_J, where X_J is lambda itself, by one matrix for all
// words but v. It is lower triangular: replays do not depend on what came later. LazyVectors does
// that without visiting the words. Words that the minibatch does not have stay multiples of what
// they were, by one factor. The result is that of messages with V numbers, to rounding.
//
// Since s <= 1, no w_l is below 0: a cavity is at least lambda at all words but v, and is positive
// if it is so at v.
class EpHistory : public EpTopics {
 public:
  explicit EpHistory(const EpProblem& problem);

  void BeginSweep() override;
  double EndSweep() override;
  bool TakeOut(size_t message, double* of_word, double* sums) override;
  void Replace(const double* responsibilities) override;
  void PutBack() override;
  void Row(uint64_t word, double* row) const override;
  void DefaultRow(double* row) const override;

  // An upper bound on the memory, in bytes.
  static double Memory(double messages, double words, double topics, double sweeps);

 private:
  // What an update in one sweep did to each message: messages x topics.
  struct Sweep {
    std::vector<double> scale;
    std::vector<double> entry;
    std::vector<char> skipped;  // by message
  };

  size_t words() const { return problem_.index.size(); }
  void ReplayStep(size_t sweep);
  void Advance();

  const EpProblem& problem_;
  const size_t topics_;
  const double keep_;               // 1 - damping
  std::vector<double> others_sum_;  // over the words that the minibatch does not have, prior
  std::vector<std::vector<double>> starts_;  // X_l before its sweep, rows x topics
  std::vector<Sweep> sweeps_;
  LazyVectors past_;  // X_l at the message that comes next

  // Of the message that is taken out: sweeps x topics, unless noted otherwise.
  size_t message_ = 0;
  std::vector<double> at_word_;    // X_l of its word
  std::vector<double> next_word_;  // the same after the update
  std::vector<double> weights_;    // w_l
  std::vector<double> own_;        // b: topics
  std::vector<double> step_;       // lower triangular: the update's matrix
  std::vector<double> cavity_word_, cavity_sum_, cavity_squares_;  // topics
};

}  // namespace sda::lda

#endif  // SDA_LDA_EP_EP_HISTORY_H_
