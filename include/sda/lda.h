#ifndef SDA_LDA_H_
#define SDA_LDA_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sda/documents.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/options.h"
#include "sda/primitive.h"

namespace SDA_EXPORT sda {

// Latent Dirichlet allocation (paper section 3). The natural parameters are rows keyed by word id
// (from 0), one number per topic: row v holds lambda_1v ... lambda_Kv. The default row is the prior
// of a word that has none of its own, so for every topic
//   sum over the vocabulary of lambda_kv = V * default_row()[k] + totals()[k].

enum class Precision { kFloat, kDouble };

// Where the ascent of a minibatch starts. The noise is in no prior, and so in no posterior.
enum class LdaStart {
  kPrior,   // at the prior; at prior + noise while nothing was folded, since equal topics stay so
  kMixed,   // at prior + noise, other noise for every minibatch
  kRandom,  // at noise alone, other noise for every minibatch
  // As kMixed; but while nothing was folded, at the topics that some sweeps of Gibbs sampling (see
  // lda_gibbs.h) find. From noise, VB finds good topics in a small first minibatch alone.
  kSampled,
};

// When the outer iterations of VB stop, given the change of lambda in the last of them.
enum class OuterStop {
  kMeanChange,  // mean over all topics and words of |change| < outer_tolerance
  kRelative,    // sum of |change| < outer_tolerance * tokens of the minibatch
};

struct LdaOptions {
  int topics = 100;

  // V: word ids are below it. The sum of a topic's parameters runs over so many words.
  uint64_t vocabulary = 0;

  // Dirichlet parameters of the topic proportions: a number per topic, or one for all; none means
  // 1 / topics.
  std::vector<double> alpha;

  // Dirichlet parameter of the topics, for LdaPrior(). A prior with rows of its own for some words
  // (an asymmetric eta) is used as it is.
  double eta = 0.3;

  // Of the kernels. Parameters and sums over documents are double in either case.
  Precision precision = Precision::kFloat;

  // LocalVB stops after the first update with mean over topics of |change of gamma| below this,
  double local_tolerance = 1e-3;
  // or after so many updates.
  int local_updates = 100;

  // VB stops by this rule,
  OuterStop outer_stop = OuterStop::kRelative;
  double outer_tolerance = 0.02;
  // or after so many iterations; 1 is SSU.
  int outer_iterations = 20;

  LdaStart start = LdaStart::kSampled;
  int start_sweeps = 100;  // kSampled
  // The noise of topic k (from 0) and word v (from 1) is noise_scale * (5 + 2 u) / 6, u in [0, 1)
  // a hash of (seed, k, v): mean 1, deviation 0.1, and the same for all workers.
  double noise_scale = 1;
  uint64_t seed = 1;

  // Whether LocalVB goes on from the gamma of the outer iteration before, or starts anew.
  bool warm_gamma = true;

  // Threads that share the documents of a minibatch. Changes nothing but the time.
  int threads = 1;

  // If given, called after each sweep of the start, of which there are so many. Where it returns
  // false, the start ends soon.
  std::function<bool(int sweep, int sweeps)> on_start_sweep;

  // Throws std::invalid_argument naming the field and its value.
  void Validate() const;
  // A number for each topic.
  std::vector<double> Alpha() const;
};

// The prior of the topics: eta for every word.
KeyedRows LdaPrior(const LdaOptions& options);

// What a primitive did since it was made.
struct LdaStats {
  uint64_t minibatches = 0;
  uint64_t documents = 0;
  uint64_t tokens = 0;
  uint64_t outer_iterations = 0;
  uint64_t local_updates = 0;            // of gamma, over documents and outer iterations
  uint64_t unconverged_documents = 0;    // in the last outer iteration: stopped by local_updates
  uint64_t unconverged_minibatches = 0;  // stopped by outer_iterations
  uint64_t log_space_words = 0;          // normalisers too small for the kernel, done in log space
};

// One outer iteration, as it is told to LdaVb::on_pass.
struct LdaPass {
  int pass = 0;       // from 1
  double change = 0;  // sum of |change of lambda|, over the minibatch's words
  uint64_t local_updates = 0;
  double bound = 0;  // evidence lower bound after it
};

// VB for LDA (paper algorithm 1): LocalVB for each document, then lambda = prior + statistics, and
// again until lambda converges. With one outer iteration: SSU (algorithm 4). With all documents as
// one minibatch: batch VB. Costs what the minibatch's words and documents cost, whatever V is.
class LdaVb : public Primitive<Documents, KeyedRows> {
 public:
  // Called after every outer iteration; asking for it costs an evaluation of the bound each time.
  using OnPass = std::function<void(const LdaPass&)>;

  explicit LdaVb(LdaOptions options, OnPass on_pass = {});
  ~LdaVb() override;

  // Throws std::invalid_argument if a word id is not below the vocabulary.
  KeyedRows operator()(const Documents& documents, const KeyedRows& prior) const override;
  KeyedRows Change(const Documents& documents, const KeyedRows& prior) const override;
  // The distinct words, ascending.
  KeyedRows::Selection Touches(const Documents& documents) const override;

  LdaStats stats() const;

 private:
  template <class T>
  KeyedRows ChangeIn(const Documents& documents, const KeyedRows& prior) const;

  struct State;
  std::unique_ptr<State> state_;
};

// Stochastic variational inference (paper algorithm 3) for comparison: with t = minibatch + 1,
//   rho = (tau0 + t)^-kappa,   lambda <- (1 - rho) lambda + rho (eta + D / |C| statistics).
struct SviOptions {
  double total_documents = 0;  // D, which SVI needs to know
  double tau0 = 64;
  double kappa = 0.5;

  // Throws std::invalid_argument naming the field and its value.
  void Validate() const;
  double Rate(uint64_t minibatch) const;
};

// One step of SVI in the serial loop: the run discounts what it knows by 1 - rho towards the prior
// (SviDiscount) and this primitive adds rho * D / |C| * statistics, taken at the lambda before the
// discount. The store must begin at SviStart.
class LdaSvi : public Primitive<Documents, KeyedRows> {
 public:
  LdaSvi(LdaOptions options, SviOptions svi);
  ~LdaSvi() override;

  KeyedRows operator()(const Documents& documents, const KeyedRows& prior) const override;
  KeyedRows Change(const Documents& documents, const KeyedRows& prior) const override;
  KeyedRows::Selection Touches(const Documents& documents) const override;

  LdaStats stats() const;

 private:
  template <class T>
  KeyedRows ChangeIn(const Documents& documents, const KeyedRows& prior) const;

  struct State;
  std::unique_ptr<State> state_;
};

// RunOptions::discount of a run of LdaSvi.
Discount SviDiscount(const SviOptions& svi);

// lambda^(0) of SVI, noise for every word of the vocabulary, as a posterior of that prior.
KeyedRows SviStart(const LdaOptions& options, const KeyedRows& prior);

}  // namespace sda

#endif  // SDA_LDA_H_
