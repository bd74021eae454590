#ifndef SDA_LDA_GIBBS_SAMPLED_START_H_
#define SDA_LDA_GIBBS_SAMPLED_START_H_

#include <cstdint>
#include <memory>

#include "lda/backend.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"

namespace sda::lda {

struct SampledStartOptions {
  int sweeps = 100;
  uint64_t seed = 1;
  OnSweep on_sweep;
};

// The posterior of the first documents after some sweeps of Gibbs sampling, for topics to start
// from. Without rows if even the first document has too many tokens.
KeyedRows SampledStart(const LdaSpec& spec, const SampledStartOptions& options,
                       const Documents& documents, const KeyedRows& prior, uint64_t key,
                       const std::shared_ptr<Backend>& backend);

}  // namespace sda::lda

#endif  // SDA_LDA_GIBBS_SAMPLED_START_H_
