#ifndef SDA_LDA_SPEC_H_
#define SDA_LDA_SPEC_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "sda/export.h"
#include "sda/keyed_rows.h"

namespace SDA_EXPORT sda {

// Latent Dirichlet allocation (paper section 3): the model, whichever primitive fits it.
//
// The natural parameters are rows keyed by word id (from 0), one number per topic: row v holds
// lambda_1v ... lambda_Kv. The default row is the prior of a word that has none of its own, so for
// every topic
//   sum over the vocabulary of lambda_kv = V * default_row()[k] + totals()[k].
//
// Which alpha and eta are good depends on the primitive: see VbSpec, GibbsSpec and EpSpec.
struct LdaSpec {
  int topics = 100;

  // V: word ids are below it. The sum of a topic's parameters runs over this number of words.
  uint64_t vocabulary = 0;

  // Dirichlet parameters of the topic proportions: a number per topic, or one for all; none means
  // 1 / topics.
  std::vector<double> alpha;

  // Dirichlet parameter of the topics, for LdaPrior(). A prior with rows of its own for some words
  // (an asymmetric eta) is used as it is.
  double eta = 0.3;

  // Throws UsageError naming the field and its value.
  void Validate() const;
  // A number for each topic.
  std::vector<double> Alpha() const;
};

// The prior of the topics: eta for every word.
KeyedRows LdaPrior(const LdaSpec& spec);

// Called after each sweep of those that form the topics, with the number of all sweeps. Where it
// returns false, only the sweeps that are averaged follow.
using OnSweep = std::function<bool(int sweep, int sweeps)>;

// The numbers that the kernels compute with. Parameters and sums over documents are double in
// either case.
enum class Precision { kFloat, kDouble };

// LocalVB: the topic proportions of one document (gamma), given the topics.
struct LocalVbOptions {
  Precision precision = Precision::kFloat;
  // It stops after the first update with mean over topics of |change of gamma| below this,
  double tolerance = 1e-3;
  // or after this number of updates.
  int updates = 100;

  // Throws UsageError naming the field and its value.
  void Validate() const;
};

namespace lda {
// Computes what the primitives need of a minibatch (src/lda/backend.h). Primitives that are given
// none use the processor.
class Backend;
class GibbsMinibatch;
}  // namespace lda

}  // namespace sda

#endif  // SDA_LDA_SPEC_H_
