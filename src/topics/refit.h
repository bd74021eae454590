#ifndef SDA_TOPICS_REFIT_H_
#define SDA_TOPICS_REFIT_H_

#include <cstdint>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"

namespace sda {

// What the topics of documents are sampled again from.
struct RefitInput {
  const Documents& documents;  // that were kept, of those learnt from
  const KeyedRows& before;     // the posterior before any of those: the prior, or that of a model
                               // to continue from, whose documents are not there any more
  const KeyedRows& posterior;  // of all documents
  uint64_t tokens;             // of those learnt from
  uint64_t seed;
};

inline constexpr int kRefitSweeps = 300;
inline constexpr int kRefitAveraged = 200;

// A posterior in which the documents that were kept are fitted together, as one minibatch, instead
// of by minibatches that each saw only the topics of those before it. If they are all documents
// learnt from, the rest is the posterior before them. If they are a share s of the tokens, a
// uniform sample, the rest has the share 1 - s of what was learnt:
//
//   rest   = before + (1 - s) (posterior - before)
//   result = rest + the counts of the kept documents, sampled given the rest
//
// so sum lambda - sum eta stays what it was, the tokens.
KeyedRows RefitTopics(const RefitInput& input, const LdaSpec& spec, const Context& context,
                      const OnSweep& on_sweep);

}  // namespace sda

#endif  // SDA_TOPICS_REFIT_H_
