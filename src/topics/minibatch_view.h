#ifndef SDA_TOPICS_MINIBATCH_VIEW_H_
#define SDA_TOPICS_MINIBATCH_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "topics/share_history.h"

namespace sda {

// A minibatch, the prior that it is learnt with, and what it adds to that.
struct Lesson {
  const Documents& documents;  // with the words that the prior has
  const KeyedRows& prior;
  const KeyedRows& change;
  const LdaSpec& spec;
  uint64_t unknown = 0;                               // tokens that are not in the documents
  std::function<std::string(uint64_t word)> word_of;  // the text of a word
};

// What TopicWatch looks at in a minibatch.
struct MinibatchView {
  static constexpr size_t kDocuments = 128;  // that are looked at one by one, evenly chosen
  static constexpr size_t kWords = 5;
  static constexpr size_t kExamples = 3;
  static constexpr uint64_t kLeastTokens = 20;  // of a document that can be told from noise

  double documents = 0;
  bool first = false;          // nothing was learnt before it: the topics formed in it
  std::vector<double> tokens;  // by topic
  uint64_t known = 0;          // tokens within the vocabulary, and outside it
  uint64_t unknown = 0;
  std::optional<int64_t> time;                     // the latest
  std::vector<std::vector<std::string>> words;     // by topic: the most frequent ones
  std::vector<std::vector<std::string>> examples;  // by topic: the documents with the most of it

  // Of the documents that were looked at: how much better than the frequencies of words the topics
  // predict a token of each; and the worst.
  WeightedSpread gains;
  double least_gain = 0;
  std::string worst;  // its id
  std::vector<std::string> worst_words;
};

MinibatchView ViewOf(const Lesson& lesson, bool with_documents, const Context& context);

}  // namespace sda

#endif  // SDA_TOPICS_MINIBATCH_VIEW_H_
