#ifndef SDA_LDA_SCORE_PREQUENTIAL_H_
#define SDA_LDA_SCORE_PREQUENTIAL_H_

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/observer.h"

namespace sda {

// Before a minibatch is learnt from, scores how well its prior predicts some of its documents, by
// document completion: they are held out until then. Scores nothing while the prior has learnt
// nothing.
Scorer<Documents, KeyedRows> ScoreBeforeLearning(LdaSpec spec, Context context);

}  // namespace sda

#endif  // SDA_LDA_SCORE_PREQUENTIAL_H_
