#ifndef SDA_TOPICS_PROVISIONAL_MODEL_H_
#define SDA_TOPICS_PROVISIONAL_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sda/context.h"
#include "sda/corpus.h"
#include "sda/documents.h"
#include "sda/topic_options.h"

namespace sda {

struct ProvisionalModel {
  std::string output;
  TopicOptions options;  // settled
  uint64_t awaited = 0;  // documents that the first minibatch is to have
};

// How many documents of a stream that is followed a run learns from first.
uint64_t AwaitedDocuments(const CorpusOptions& options);

// Fits a model to the documents that have come so far, as its first minibatch, and saves it in the
// place of the one to come. What happens is logged. A stop that was requested before does not end
// it; one that is requested meanwhile cuts it short.
void SaveProvisionalModel(const ProvisionalModel& model, const std::vector<std::string>& vocabulary,
                          const Documents& documents, const Context& context);

}  // namespace sda

#endif  // SDA_TOPICS_PROVISIONAL_MODEL_H_
