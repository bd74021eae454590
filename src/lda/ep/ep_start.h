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
// that differ (EpStart), each document's proportions by EM. Of later ones, only the messages of
// very long documents (BlockTokens) start so, under the prior's topics, all others at 0: a sweep
// moves a message of n copies by one of them, so that from 0 most of billions would never be learnt
// from. Empty if all start at 0.
std::vector<double> EpStartMessages(const LdaSpec& spec, const EpOptions& options,
                                    const Documents& documents, const KeyedRows& prior,
                                    const WordIndex& index, uint64_t key,
                                    const std::shared_ptr<Backend>& backend);

}  // namespace sda::lda

#endif  // SDA_LDA_EP_EP_START_H_
