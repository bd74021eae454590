#ifndef SDA_SDA_H_
#define SDA_SDA_H_

// Everything: the loop (read loop.h first), the five seams, and the models of the library.

#include "sda/background_saver.h"
#include "sda/checkpoint.h"
#include "sda/classifier.h"
#include "sda/clutter.h"
#include "sda/context.h"
#include "sda/corpus.h"
#include "sda/dense.h"
#include "sda/documents.h"
#include "sda/errors.h"
#include "sda/keyed_rows.h"
#include "sda/lda.h"
#include "sda/lda_ep.h"
#include "sda/lda_gibbs.h"
#include "sda/lda_score.h"
#include "sda/lda_topics.h"
#include "sda/loop.h"
#include "sda/mixture.h"
#include "sda/models.h"
#include "sda/observer.h"
#include "sda/options.h"
#include "sda/prefetch_source.h"
#include "sda/primitive.h"
#include "sda/program.h"
#include "sda/source.h"
#include "sda/store.h"
#include "sda/table.h"
#include "sda/topic_fit.h"
#include "sda/topic_model.h"
#include "sda/topic_options.h"
#include "sda/topics.h"
#include "sda/tracked_source.h"

#endif  // SDA_SDA_H_
