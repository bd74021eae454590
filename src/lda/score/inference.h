#ifndef SDA_LDA_SCORE_INFERENCE_H_
#define SDA_LDA_SCORE_INFERENCE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "lda/backend.h"
#include "sda/context.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"

namespace sda::lda {

struct InferredDocuments {
  std::vector<double> gamma;  // documents x topics
  uint64_t updates = 0;
  uint64_t unconverged = 0;
};

// Gamma of documents under a fitted model, whose topics stay as they are. The backend may be null.
InferredDocuments InferGamma(const KeyedRows& posterior, const Documents& documents,
                             const LdaSpec& spec, const LocalVbOptions& local,
                             const Context& context, const std::shared_ptr<Backend>& backend);

}  // namespace sda::lda

#endif  // SDA_LDA_SCORE_INFERENCE_H_
