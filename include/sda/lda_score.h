#ifndef SDA_LDA_SCORE_H_
#define SDA_LDA_SCORE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/observer.h"

namespace SDA_EXPORT sda {

// Which of a held-out document's distinct words are observed; the others are tested.
enum class SplitRule {
  kHalfTypes,  // the first half, rounded up, in the order of a hash of (document number, word)
  kAlternate,  // every second one in the order of their ids, from the first: the paper's authors'
};

struct HeldOutSplit {
  Documents observed;
  Documents tested;  // of the same documents
};

// Leaves out documents with fewer than two distinct words. Uses documents.numbers.
HeldOutSplit SplitHeldOut(const Documents& documents, SplitRule rule = SplitRule::kHalfTypes);

struct LdaScore {
  double log_predictive = 0;  // per tested token, natural logarithm
  uint64_t test_tokens = 0;
  uint64_t documents = 0;
  uint64_t local_updates = 0;
  uint64_t unconverged_documents = 0;
  std::vector<Prediction> of_documents;  // of the split, in its order
};

// Of the mean per tested token, over documents as a sample of all; 0 with fewer than two. The mean
// more or less 1.96 of it is the 95% interval. For the difference of two models, log_sum is that of
// the one less that of the other, document by document.
double StandardError(const std::vector<Prediction>& of_documents);

// Log predictive probability by document completion: gamma of the observed words by LocalVB in
// double precision, with this tolerance and this number of updates at most; then the mean over
// tested tokens of log sum_k E[theta_k] E[beta_kv].
LdaScore LogPredictive(const KeyedRows& posterior, const HeldOutSplit& split, const LdaSpec& spec,
                       const Context& context = Context(), double tolerance = 1e-4,
                       int updates = 200, const std::shared_ptr<lda::Backend>& backend = nullptr);

}  // namespace sda

#endif  // SDA_LDA_SCORE_H_
