#include "lda/vb/vb_start.h"

#include <algorithm>
#include <vector>

#include "lda/topic_rows.h"

namespace sda::lda {

Topics StartTopics(LdaStart start, const KeyedRows& prior, std::span<const uint64_t> words,
                   uint64_t vocabulary, const Noise& noise, std::span<const double> noise_sums) {
  const bool with_noise = start != LdaStart::kPrior || NothingFolded(prior);
  const bool with_prior = start != LdaStart::kRandom;
  Topics topics;
  topics.row = [=, &prior, &noise](size_t v, double* row) {
    if (with_prior) {
      const auto from = RowOf(prior, words, v);
      std::copy(from.begin(), from.end(), row);
    } else {
      std::fill_n(row, prior.width(), 0.0);
    }
    if (with_noise) noise.AddTo(words[v], row);
  };
  const std::vector<double> prior_sums = TopicSums(prior, vocabulary);
  for (size_t k = 0; k < prior.width(); ++k) {
    topics.sums.push_back((with_prior ? prior_sums[k] : 0) + (with_noise ? noise_sums[k] : 0));
  }
  return topics;
}

Topics TopicsOf(const KeyedRows& rows, std::span<const uint64_t> words, uint64_t vocabulary) {
  Topics topics;
  topics.row = [&rows, words](size_t v, double* row) {
    const auto from = RowOf(rows, words, v);
    std::copy(from.begin(), from.end(), row);
  };
  topics.sums = TopicSums(rows, vocabulary);
  return topics;
}

}  // namespace sda::lda
