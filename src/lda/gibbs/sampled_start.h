#ifndef SDA_LDA_GIBBS_SAMPLED_START_H_
#define SDA_LDA_GIBBS_SAMPLED_START_H_

#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda.h"

namespace sda::lda {

// The posterior of the first documents after start_sweeps of Gibbs sampling, for topics to start
// from. Without rows if even the first document has too many tokens. Of options: the model,
// start_sweeps, on_start_sweep, seed, threads.
KeyedRows SampledStart(const LdaOptions& options, const Documents& documents,
                       const KeyedRows& prior);

}  // namespace sda::lda

#endif  // SDA_LDA_GIBBS_SAMPLED_START_H_
