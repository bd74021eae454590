#ifndef SDA_LDA_VB_H_
#define SDA_LDA_VB_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/primitive.h"

namespace SDA_EXPORT sda {

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

struct VbOptions {
  LocalVbOptions local;

  // VB stops by this rule,
  OuterStop outer_stop = OuterStop::kRelative;
  double outer_tolerance = 0.02;
  // or after this number of iterations; 1 is SSU.
  int outer_iterations = 20;

  LdaStart start = LdaStart::kSampled;
  int start_sweeps = 100;  // kSampled
  // The noise of topic k (from 0) and word v (from 1) is noise_scale * (5 + 2 u) / 6, u in [0, 1)
  // a hash of (seed, k, v) while nothing was folded, of (seed, minibatch, k, v) later: mean 1,
  // deviation 0.1, and the same for all workers.
  double noise_scale = 1;
  uint64_t seed = 1;

  // Whether LocalVB starts at the gamma of the outer iteration before, or at ones again.
  bool warm_gamma = true;

  // Minibatches in work at once: each uses its share of the context's threads.
  int workers = 1;

  // If given, called after each sweep of the start (kSampled).
  OnSweep on_start_sweep;

  // Throws UsageError naming the field and its value.
  void Validate() const;
};

// The alpha (1 / topics) and eta (0.3) that suit VB.
LdaSpec VbSpec(int topics, uint64_t vocabulary);

// What a primitive did since it was made.
struct LdaStats {
  uint64_t minibatches = 0;
  uint64_t documents = 0;
  uint64_t tokens = 0;
  uint64_t outer_iterations = 0;
  uint64_t local_updates = 0;            // of gamma, over documents and outer iterations
  uint64_t unconverged_documents = 0;    // in the last outer iteration: stopped by local.updates
  uint64_t unconverged_minibatches = 0;  // stopped by outer_iterations
  uint64_t log_space_words = 0;          // normalisers too small for the kernel, done in log space
};

// One outer iteration, as reported to LdaVb::on_pass.
struct LdaPass {
  int pass = 0;       // from 1
  double change = 0;  // sum of |change of lambda|, over the minibatch's words
  uint64_t local_updates = 0;
  double bound = 0;  // evidence lower bound after it
};

// VB for LDA (paper algorithm 1): LocalVB for each document, then lambda = prior + statistics, and
// again until lambda converges. With one outer iteration: SSU (algorithm 4). With all documents as
// one minibatch: batch VB. The cost is that of the minibatch's words and documents, for any V.
class LdaVb : public Primitive<Documents, KeyedRows> {
 public:
  // Called after every outer iteration; asking for it costs an evaluation of the bound each time.
  using OnPass = std::function<void(const LdaPass&)>;

  // Throws UsageError naming the field and its value.
  explicit LdaVb(LdaSpec spec, VbOptions options = {}, Context context = Context(),
                 OnPass on_pass = {}, std::shared_ptr<lda::Backend> backend = nullptr);
  ~LdaVb() override;

  // Throws InputError if a word id is not below the vocabulary.
  KeyedRows operator()(const Documents& documents, const KeyedRows& prior,
                       uint64_t key) const override;
  KeyedRows Change(const Documents& documents, const KeyedRows& prior, uint64_t key) const override;
  // As LdaGibbs'.
  KeyedRows ChangeAmong(uint64_t words, const Documents& documents, const KeyedRows& prior,
                        uint64_t key) const;
  // The distinct words, ascending.
  KeyedRows::Selection Touches(const Documents& documents) const override;

  LdaStats stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sda

#endif  // SDA_LDA_VB_H_
