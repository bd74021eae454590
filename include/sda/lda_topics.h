#ifndef SDA_LDA_TOPICS_H_
#define SDA_LDA_TOPICS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/estimate.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"

namespace SDA_EXPORT sda {

// What is known of a word's probability in a topic: Beta(a, b).
struct WordProbability {
  double a = 0;
  double b = 0;  // 0 if the topic has no other word
  // Mostly from not knowing the topics of the word's tokens, and so wide that the topic may not
  // have the word at all. Then the distribution has a peak at 0 that a Beta with this mean and
  // variance does not have, and intervals begin too high.
  bool approximate = false;
};

// lambda is the topic's parameter of the word, `sum` that of all words, and `variance` what is not
// known of lambda (RowVariances; 0 if that is unknown). A Beta with the mean lambda / sum and the
// variance of both what the Dirichlet leaves open and what is not known of lambda.
WordProbability ProbabilityOf(double lambda, double sum, double variance);
// The same of a topic (from 0) of a posterior; `sum` is over the vocabulary.
WordProbability ProbabilityOf(const KeyedRows& posterior, uint64_t word, size_t topic, double sum);

struct TopicWord {
  uint64_t word = 0;     // id, from 0
  Estimate probability;  // approximate as WordProbability says
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

// How the intervals of a document's topic proportions are found, the topics being what they are in
// the mean of the posterior.
enum class ProportionIntervals {
  // From the posterior itself, by collapsed Gibbs sampling of the document's tokens: the intervals
  // hold what they promise. The mean is that of the samples.
  kSampled,
  // From variational Bayes, with the variances that it lacks by linear response (Giordano,
  // Broderick, Jordan 2015). Faster; too narrow for documents of less than 1,000 tokens, where they
  // are called approximate.
  kLinearResponse,
};
// sampled, linear-response. The second one throws UsageError.
const char* NameOf(ProportionIntervals intervals);
ProportionIntervals ProportionIntervalsNamed(const std::string& name);

struct InferOptions {
  // Documents of more than 2,000 tokens, for which it is as good, and those with counts that are no
  // whole numbers have linear response in either case.
  ProportionIntervals intervals = ProportionIntervals::kSampled;
  // Of sampling, of which intervals are made, after an eighth as many that are not.
  int sweeps = 400;
  // Probability of the intervals.
  double level = 0.95;
  // The topics are those of variational Bayes, off their places, and so are the proportions
  // (docs/uncertainty.md): all intervals are called approximate.
  bool approximate_topics = false;
  // Variational Bayes: where sampling starts, and what linear response is of.
  LocalVbOptions local;

  // Throws UsageError naming the field and its value.
  void Validate() const;
};

struct DocumentTopics {
  uint64_t number = 0;             // of the document in the stream; 0 if it has none
  std::vector<TopicShare> topics;  // the largest proportion first
  ProportionIntervals intervals = ProportionIntervals::kSampled;  // how they were found
  // Whether these are approximate, which all of a document are or none.
  bool approximate() const { return !topics.empty() && topics[0].proportion.approximate; }
};

// Topic proportions of documents under a fitted model, of each the `most` largest (0 means all).
// Those of a document depend on its words and counts alone, not on other documents or the threads.
std::vector<DocumentTopics> InferTopics(const KeyedRows& posterior, const Documents& documents,
                                        const LdaSpec& spec, const Context& context = Context(),
                                        size_t most = 0, const InferOptions& options = {},
                                        const std::shared_ptr<lda::Backend>& backend = nullptr);

}  // namespace sda

#endif  // SDA_LDA_TOPICS_H_
