#ifndef SDA_LDA_TOPICS_H_
#define SDA_LDA_TOPICS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sda/documents.h"
#include "sda/estimate.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/lda.h"

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
// among those seen. Of options: topics, vocabulary.
std::vector<TopicSummary> SummarizeTopics(const KeyedRows& posterior, const LdaOptions& options,
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
// Of options: topics, vocabulary, alpha, precision, local_tolerance, local_updates, threads.
std::vector<DocumentTopics> InferTopics(const KeyedRows& posterior, const Documents& documents,
                                        const LdaOptions& options, size_t most = 0);

}  // namespace sda

#endif  // SDA_LDA_TOPICS_H_
