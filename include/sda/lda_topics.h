#ifndef SDA_LDA_TOPICS_H_
#define SDA_LDA_TOPICS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/estimate.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"

namespace SDA_EXPORT sda {

struct TopicWord {
  uint64_t word = 0;  // id, from 0
  Estimate probability;
};

struct TopicSummary {
  size_t topic = 0;
  double share = 0;                  // of the corpus: its part of the tokens folded
  std::vector<TopicWord> top_words;  // the most probable first
};

// All topics, the one with the largest share first, each with its `words` most probable words
// among those seen.
std::vector<TopicSummary> SummarizeTopics(const KeyedRows& posterior, const LdaSpec& spec,
                                          size_t words);

struct TopicShare {
  size_t topic = 0;
  Estimate proportion;
};

struct DocumentTopics {
  uint64_t number = 0;             // of the document in the stream; 0 if it has none
  std::vector<TopicShare> topics;  // the largest proportion first
};

// Topic proportions of documents under a fitted model, of each the `most` largest (0 means all).
std::vector<DocumentTopics> InferTopics(const KeyedRows& posterior, const Documents& documents,
                                        const LdaSpec& spec, const Context& context = Context(),
                                        size_t most = 0, const LocalVbOptions& local = {},
                                        const std::shared_ptr<lda::Backend>& backend = nullptr);

}  // namespace sda

#endif  // SDA_LDA_TOPICS_H_
