#ifndef SDA_LDA_EP_H_
#define SDA_LDA_EP_H_

#include <cstdint>
#include <memory>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/primitive.h"

namespace SDA_EXPORT sda {

// What has a message of its own.
enum class EpUpdates {
  kType,   // a distinct word of a document, with as many equal copies as it has tokens
  kToken,  // every token
};

// What of the tilted distribution the new Dirichlet agrees with.
enum class EpMatching {
  kMoments,  // the mean and the average second moment, in closed form
  kLog,      // E[log], by Newton's method: minimises the divergence, far slower, and needs a number
             // for each word of the prior in every message
};

// Where the messages of a minibatch start whose prior has learnt nothing. From zero, equal topics
// would stay equal.
enum class EpStart {
  kNoise,    // at the responsibilities under prior + noise
  kSampled,  // at those under topics that some sweeps of Gibbs sampling find (see LdaStart)
};

struct EpOptions {
  EpUpdates updates = EpUpdates::kType;
  EpMatching matching = EpMatching::kMoments;

  // A message becomes damping * old + (1 - damping) * new.
  double damping = 0;

  // EP stops after the first sweep over all messages in which lambda and gamma each change by at
  // most tolerance * tokens, in sum of absolute values,
  double tolerance = 0.01;
  // or after this number of sweeps, each of which takes memory.
  int sweeps = 10;

  EpStart start = EpStart::kSampled;
  int start_sweeps = 100;  // kSampled
  double noise_scale = 1;  // kNoise; see VbOptions
  uint64_t seed = 1;

  // The memory that the messages of a minibatch may take. A minibatch that could take more is
  // learnt from in parts, each with the posterior of the one before as its prior; so is a document
  // with too many words, as if it were several.
  uint64_t memory_bytes = uint64_t{4} << 30;

  // If given, called after each sweep of the start (kSampled).
  OnSweep on_start_sweep;

  // Throws UsageError naming the field and its value.
  void Validate() const;
};

// The alpha (1 / topics) and eta (1) that suit EP. With a small eta many updates are skipped.
LdaSpec EpSpec(int topics, uint64_t vocabulary);

// What a primitive did since it was made.
struct EpStats {
  uint64_t minibatches = 0;
  uint64_t documents = 0;
  uint64_t tokens = 0;
  uint64_t messages = 0;
  uint64_t sweeps = 0;
  uint64_t updates = 0;                  // of messages, the skipped ones included
  uint64_t skipped_updates = 0;          // since a parameter of the cavity was not positive
  uint64_t unconverged_minibatches = 0;  // stopped by sweeps
  uint64_t raised_parameters = 0;        // see RaiseToPositive
};

// Expectation propagation for LDA (paper appendix B). z is summed out; every factor
// sum_k theta_dk beta_kv of a token has an approximation, a message, that is a product of
// Dirichlets with parameters omega_k (V numbers for each topic) and zeta (K numbers):
//
//   lambda_k = prior_k + sum of n omega_k,    gamma_d = alpha + sum of n zeta
//
// An update takes one copy of a message out (what is left is the cavity), puts the factor itself in
// its place, and sets the message so that lambda and gamma match the result. It is skipped if the
// cavity has a parameter that is not positive. With parameters of the cavity c, sums S, and
// responsibilities r_k ~ g_k c_kv / S_k, the result for a topic is a mixture of Dirichlet(c_k) and
// Dirichlet(c_k + e_v), and so matching of moments gives a multiple of c_k plus a number for v.
// The messages are kept as such multiples: sweeps * 2 + 2 numbers for each topic, for any V,
// and the result is that of messages with V numbers, to rounding (docs/ep_lda.md). An update costs
// O(topics * sweeps^3) at worst, and no V.
//
// Documents are visited in order, and their words: the result does not depend on threads.
//
// What does not hold, unlike for VB and sampling:
// - The sum of lambda - prior is not the number of tokens: an uncertain token counts less than one,
//   and takes away from all other words, those that the minibatch does not have included. So the
//   primitive reads and changes all rows of its prior, and the default row.
// - The parameters of a posterior are positive, but the sum of changes made from one prior need not
//   be: two workers may take the same away twice. What is not positive is raised: RaiseToPositive.
// - EP need not converge, and is not exact: it keeps the promises that checker.h asks of every
//   primitive, not those that it asks of exact ones.
class LdaEp : public Primitive<Documents, KeyedRows> {
 public:
  // Throws UsageError naming the field and its value. EP has one thread, since its updates follow
  // one another; those of the context are for the sampled start.
  explicit LdaEp(LdaSpec spec, EpOptions options = {}, Context context = Context(),
                 std::shared_ptr<lda::Backend> backend = nullptr);
  ~LdaEp() override;

  // Throws InputError if a word id is not below the vocabulary, and UsageError if even one word
  // could take more than memory_bytes.
  KeyedRows operator()(const Documents& documents, const KeyedRows& prior,
                       uint64_t key) const override;

  EpStats stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// An upper bound on the bytes that EP on these documents takes, without the prior and the
// posterior.
double EpMemory(const LdaSpec& spec, const EpOptions& options, const Documents& documents,
                const KeyedRows& prior);

// Parameters that are not positive become a thousandth of eta. Returns how many: a default row
// counts as one word. Changes of several workers that start from one posterior may take away more
// than the parameter has. LdaEp does this to its prior before it starts, and its change makes up
// for it.
uint64_t RaiseToPositive(double eta, uint64_t vocabulary, KeyedRows* posterior);

}  // namespace sda

#endif  // SDA_LDA_EP_H_
