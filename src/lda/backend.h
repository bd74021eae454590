#ifndef SDA_LDA_BACKEND_H_
#define SDA_LDA_BACKEND_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"

namespace sda::lda {

// The seam below the topic primitives. A primitive decides what is computed: where it starts, how
// often, when it stops. A backend computes it: a minibatch's documents and the rows of its words
// go in, statistics come out. The CPU is the first backend (cpu_backend.h); another one adds files
// and touches no primitive.
//
// Rows and statistics stay where the backend keeps them, which may be a device: a VbMinibatch or a
// GibbsMinibatch is a handle of them. What crosses the seam in a step are a few numbers; rows cross
// it when a minibatch begins (the prior's rows, and where the topics start), and statistics or
// gamma when they are requested.
//
// What a backend must keep:
// - The result of the same arguments is the same, bit for bit, at any time, for any number of
//   threads, and for any number of other minibatches in work.
// - VB agrees with the CPU backend in double precision to a relative 1e-6 in lambda after four
//   outer iterations of 30 local updates each (tests/lda/agreement_test.cc), in float to 2e-3.
//   Documents that stop by a tolerance may stop an update earlier or later.
// - Gibbs sampling draws from the same distributions with random numbers that are hashes of (seed,
//   sweep, token) alone; it need not draw the same topics as the CPU backend, since what is drawn
//   depends on the last bit of a sum.
// - The statistics of all topics of a word sum up to its tokens, to rounding.
// - Bad documents (a word id that is not below the vocabulary; more tokens than it can count) are
// an
//   InputError or UsageError of NewVb or NewGibbs.
//
// A backend may be called from several threads at once, each with minibatches of its own; one
// minibatch is used by one thread at a time. Documents and prior must live as long as the minibatch
// made of them, and the backend longer. Calls are made once a step, never for a document or a word.

// Topics to compute with: lambda of the minibatch's words, and sums over all words.
struct Topics {
  // Writes lambda_.v (a number for each topic) of row number v: of the word
  // VbMinibatch::words()[v]. Called from several threads at once, and repeatedly.
  std::function<void(size_t v, double* row)> row;
  std::vector<double> sums;  // over the whole vocabulary, for each topic
};

// What one step did.
struct VbSums {
  double change = 0;  // sum of |change of the statistics| since the step before; at first since 0
  uint64_t tokens = 0;
  uint64_t updates = 0;          // of gamma, over documents
  uint64_t unconverged = 0;      // documents that were stopped by the number of updates
  uint64_t log_space_words = 0;  // normalisers too small for the kernel, done in log space
};

// E steps of variational Bayes for one minibatch: LocalVB for each document at the given topics,
// then the statistics s_vk = sum over documents of n_dv phi_dvk.
class VbMinibatch {
 public:
  virtual ~VbMinibatch() = default;

  // The distinct words of the minibatch, ascending. Rows are numbered in this order.
  virtual std::span<const uint64_t> words() const = 0;

  // The topics of the next step: those given, which must stay valid until other ones are set; or
  // the prior + the statistics of the last step.
  virtual void StartAt(Topics topics) = 0;
  virtual void StartAtPosterior() = 0;

  // One E step. Gamma starts at ones, or (warm) where the last step left it.
  virtual VbSums Step(bool warm) = 0;
  // Only the documents' part of it: gamma, no statistics.
  virtual VbSums InferDocuments() = 0;

  // The statistics, times scale, as a difference of posterior and prior. Needs a Step().
  virtual KeyedRows Statistics(double scale) const = 0;
  // Gamma of all documents, documents x topics.
  virtual std::vector<double> Gamma() const = 0;
};

// Sweeps of collapsed Gibbs sampling over one minibatch: see LdaGibbs.
class GibbsMinibatch {
 public:
  virtual ~GibbsMinibatch() = default;

  // Change() has variances, too: those between the averaged sweeps, of which there must be two. To
  // be called before the first of them.
  virtual void KeepVariances() = 0;
  // Gives every token a topic, each with the same probability. Without it, the first sweep draws
  // the topic of each token given those of the tokens before it.
  virtual void StartAtRandom() = 0;
  // The same, given these topics instead of the prior, which counts again afterwards.
  virtual void StartAt(const KeyedRows& topics) = 0;
  // Samples every token once. Averaged: adds p(z) of its tokens to the means.
  virtual void Sweep(bool averaged) = 0;
  // Sampling from a random start may leave two topics that are nearly equal, while another one
  // mixes two subjects. So one of such twins takes all tokens, and the other a part of the largest
  // topic; the following sweeps separate the two.
  virtual void ReuseTwins() = 0;
  // The means of the averaged sweeps, as a difference of posterior and prior. To be called once, at
  // the end.
  virtual KeyedRows Change() = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::unique_ptr<VbMinibatch> NewVb(const LdaSpec& spec, const LocalVbOptions& local,
                                             const Documents& documents,
                                             const KeyedRows& prior) = 0;
  // Divides documents and words into at most this number of groups; with one group the sampler is
  // exact.
  virtual std::unique_ptr<GibbsMinibatch> NewGibbs(const LdaSpec& spec, int groups,
                                                   const Documents& documents,
                                                   const KeyedRows& prior, uint64_t seed) = 0;
};

}  // namespace sda::lda

#endif  // SDA_LDA_BACKEND_H_
