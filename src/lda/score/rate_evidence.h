#ifndef SDA_LDA_SCORE_RATE_EVIDENCE_H_
#define SDA_LDA_SCORE_RATE_EVIDENCE_H_

#include <vector>

#include "sda/documents.h"
#include "sda/forgetting_store.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"

namespace sda::lda {

// How well each rate of forgetting predicts some of the documents of a minibatch that is yet to be
// learnt from: by document completion, as they are scored. The topics of a document are found once,
// with the posterior of the run, which is the same for all rates: they have the same topics. So the
// cost is that of one score of these documents.
//
// May be called by several threads at once. Empty while nothing was learnt. may_be_negative: the
// posterior is of several workers that took too much from some parameters; these are raised.
std::vector<double> RateEvidence(const ForgettingStore<KeyedRows>& store,
                                 const Documents& documents, const LdaSpec& spec,
                                 bool may_be_negative);

}  // namespace sda::lda

#endif  // SDA_LDA_SCORE_RATE_EVIDENCE_H_
