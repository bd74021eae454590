#ifndef SDA_LDA_EP_HISTORY_H_
#define SDA_LDA_EP_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lda/ep_topics.h"

namespace sda::lda {

// Lambda and messages where moments are matched, without V numbers for a message. Of one topic:
//
// An update at time t of message i, with word v and n copies, makes of lambda (k = 1 - damping)
//
//   lambda' = lambda + k ((s - 1) lambda - s omega_i + e e_v),   omega_i' = omega_i + (lambda' -
//   lambda) / n
//
// where s and e are the scale and the entry that EpMatch gives. So omega_i is a combination of what
// lambda was when the message was visited in each sweep, X_1, X_2, ... X_J, and of e_v. X_l is
// lambda as it was in sweep l at this message: to have it, sweep J replays all sweeps before it in
// step with its own updates. That needs s and e of each sweep, two numbers, and no omega:
//
//   omega = sum over l of w_l X_l + b e_v:    at sweep l,  w_m <- w_m (1 - k s / n) for m < l,
//                                             w_l = k (s - 1) / n,  b <- b (1 - k s / n) + k e / n
//
// One step changes X_1 ... X_J by one matrix for all words (lower triangular, since replays do not
// depend on what came later), and by numbers at v. So X is kept as matrix * base: a step multiplies
// the matrix, and writes the base of v alone. From the base's sums and inner products come the sum
// and the sum of squares of the cavity. Now and then the base becomes matrix * base (Settle).
//
// Since s <= 1, no w_l is above 0: a cavity is at least lambda at all words but v, and is positive
// if it is so at v.
//
// Words that the minibatch does not have are multiplied by the same number, so they are one row.
// The result is that of messages with V numbers, to rounding.
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

  // Bytes taken at most.
  static uint64_t Memory(uint64_t messages, uint64_t words, uint64_t topics, uint64_t sweeps);

 private:
  // What an update in one sweep did to each message: messages x topics.
  struct Sweep {
    std::vector<double> scale;
    std::vector<double> entry;
    std::vector<char> skipped;  // by message
  };

  size_t levels() const { return level_ + 1; }
  double* Base(size_t row) { return base_.data() + row * levels() * topics_; }
  // Row l, column m of a lower triangular matrix of arrays.
  size_t Cell(size_t l, size_t m) const { return (l * (l + 1) / 2 + m) * topics_; }

  void ReadWord();
  void ReplayStep(size_t level);
  void FindCavity(double* of_word, double* sums);
  void Advance();
  void AddToBase(double sign, const double* base);
  void Settle();

  const EpProblem& problem_;
  const size_t topics_;
  const size_t words_;              // of the minibatch; the row after theirs stands for all others
  const double keep_;               // 1 - damping
  std::vector<double> others_sum_;  // over the other words, of the prior
  std::vector<double> others_squares_;  // and of its squares

  size_t level_ = 0;  // J, from 0
  std::vector<Sweep> sweeps_;
  std::vector<std::vector<double>> starts_;  // lambda before each sweep: rows x topics
  std::vector<double> base_;                 // rows x levels x topics
  std::vector<double> matrix_;               // lower triangular, of arrays
  std::vector<double> base_sums_;            // levels x topics
  std::vector<double> base_products_;        // lower triangular: inner products over words
  size_t steps_ = 0;                         // since the last Settle

  // Of the message that is taken out, levels x topics but where it says otherwise.
  size_t message_ = 0;
  std::vector<double> at_word_;      // X_l of its word
  std::vector<double> next_word_;    // the same after the step
  std::vector<double> weights_;      // w_l
  std::vector<double> own_;          // b: topics
  std::vector<double> step_;         // lower triangular: the step's matrix
  std::vector<double> coordinates_;  // of the cavity, but for b, in the base
  std::vector<double> cavity_word_, cavity_sum_, cavity_squares_;  // topics
};

}  // namespace sda::lda

#endif  // SDA_LDA_EP_HISTORY_H_
