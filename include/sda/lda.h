#ifndef SDA_LDA_H_
#define SDA_LDA_H_

// Latent Dirichlet allocation: the model, the primitives that fit it, and its uses.
#include "sda/lda_bound.h"
#include "sda/lda_ep.h"
#include "sda/lda_gibbs.h"
#include "sda/lda_score.h"
#include "sda/lda_spec.h"
#include "sda/lda_svi.h"
#include "sda/lda_topics.h"
#include "sda/lda_vb.h"

#endif  // SDA_LDA_H_
