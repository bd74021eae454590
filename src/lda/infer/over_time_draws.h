#ifndef SDA_LDA_INFER_OVER_TIME_DRAWS_H_
#define SDA_LDA_INFER_OVER_TIME_DRAWS_H_

#include <cstdint>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/over_time.h"

namespace sda::lda {

// The sums over time of documents with times under these topics (docs/math.md, "Topics over time").
// The result depends on the arguments alone, not on the number of threads.
// Throws InterruptedError when the context is interrupted.
OverTime DrawOverTime(const LdaSpec& spec, const OverTimeOptions& options,
                      const Documents& documents, const KeyedRows& topics, uint64_t seed,
                      const Context& context);

}  // namespace sda::lda

#endif  // SDA_LDA_INFER_OVER_TIME_DRAWS_H_
