#ifndef SDA_LDA_INFER_KNOWN_TOPICS_H_
#define SDA_LDA_INFER_KNOWN_TOPICS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "sda/documents.h"
#include "sda/keyed_rows.h"

namespace sda::lda {

// A fitted model, whose topics stay as they are while documents are inferred.
struct KnownTopics {
  const KeyedRows& lambda;
  std::vector<double> alpha;  // of each topic
  std::vector<double> sums;   // of lambda over the vocabulary
  double alpha_sum;

  size_t topics() const { return alpha.size(); }
};

// A document: lambda_.v of its distinct words, and how often it has each.
struct KnownDocument {
  KnownDocument(const Documents& documents, size_t d, const KnownTopics& topics) {
    for (uint64_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
      words.push_back(documents.words[i]);
      rows.push_back(topics.lambda.At(documents.words[i]));
      counts.push_back(documents.weight(i));
      tokens += counts.back();
    }
  }

  std::vector<uint32_t> words;
  std::vector<std::span<const double>> rows;
  std::vector<double> counts;  // weights may be fractions
  double tokens = 0;
};

}  // namespace sda::lda

#endif  // SDA_LDA_INFER_KNOWN_TOPICS_H_
