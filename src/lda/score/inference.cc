#include "lda/score/inference.h"

#include "lda/cpu_backend.h"
#include "lda/vb/vb_start.h"

namespace sda::lda {

InferredDocuments InferGamma(const KeyedRows& posterior, const Documents& documents,
                             const LdaSpec& spec, const LocalVbOptions& local,
                             const Context& context, const std::shared_ptr<Backend>& backend) {
  spec.Validate();
  local.Validate();
  const std::shared_ptr<Backend> used = BackendOr(backend, context, 1);
  const auto minibatch = used->NewVb(spec, local, documents, posterior);
  minibatch->StartAt(TopicsOf(posterior, minibatch->words(), spec.vocabulary));
  const VbSums sums = minibatch->InferDocuments();
  return {minibatch->Gamma(), sums.updates, sums.unconverged};
}

}  // namespace sda::lda
