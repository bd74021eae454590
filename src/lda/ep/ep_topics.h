#ifndef SDA_LDA_EP_EP_TOPICS_H_
#define SDA_LDA_EP_EP_TOPICS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lda/minibatch.h"
#include "sda/keyed_rows.h"

namespace sda::lda {

// An approximate factor of EP: of the tokens of one word in one document, or of one token.
struct EpMessage {
  uint32_t document;
  uint32_t word;    // number in the WordIndex
  uint32_t entry;   // of the Documents
  uint32_t copies;  // n
};

// What EP on a minibatch is about. Refers to what its maker keeps.
struct EpProblem {
  const KeyedRows& prior;
  const WordIndex& index;
  uint64_t vocabulary;
  const std::vector<EpMessage>& messages;
  // Entries x topics: where a copy of a message starts, as a number for its own word; empty: at 0.
  const std::vector<double>& start;
  double damping;

  size_t topics() const { return prior.width(); }
  // Of a message, by topic; null for zeros.
  const double* StartOf(const EpMessage& message) const {
    return start.empty() ? nullptr : start.data() + message.entry * topics();
  }
};

// Lambda of a minibatch and the part of the messages that concerns it, omega. A sweep visits the
// messages in their order, and each message by TakeOut and then either Replace or PutBack. Arrays
// have a number for each topic.
class EpTopics {
 public:
  virtual ~EpTopics() = default;

  virtual void BeginSweep() = 0;
  // Returns the sum of |change of lambda| in the sweep.
  virtual double EndSweep() = 0;

  // The cavity: lambda less a copy of the message. Sets its parameter of the message's word and the
  // sum of its parameters. Returns whether all parameters of all topics are positive.
  virtual bool TakeOut(size_t message, double* of_word, double* sums) = 0;
  // Matches the cavity times the factor, whose responsibilities are given.
  virtual void Replace(const double* responsibilities) = 0;
  // The message stays as it was.
  virtual void PutBack() = 0;

  // Between sweeps: lambda of any word of the vocabulary, and of words without a row in prior.
  virtual void Row(uint64_t word, double* row) const = 0;
  virtual void DefaultRow(double* row) const = 0;
};

}  // namespace sda::lda

#endif  // SDA_LDA_EP_EP_TOPICS_H_
