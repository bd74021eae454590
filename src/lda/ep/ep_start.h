#ifndef SDA_LDA_EP_EP_START_H_
#define SDA_LDA_EP_EP_START_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "lda/backend.h"
#include "lda/minibatch.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda_ep.h"

namespace sda::lda {

// Where the messages of the first minibatch start: responsibilities, entries x topics, under topics
// that differ (EpStart), each document's proportions by EM.
std::vector<double> EpStartMessages(const LdaSpec& spec, const EpOptions& options,
                                    const Documents& documents, const KeyedRows& prior,
                                    const WordIndex& index, uint64_t key,
                                    const std::shared_ptr<Backend>& backend);

}  // namespace sda::lda

#endif  // SDA_LDA_EP_EP_START_H_
