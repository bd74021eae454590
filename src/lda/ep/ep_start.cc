#include "lda/ep/ep_start.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "lda/gibbs/sampled_start.h"
#include "lda/noise.h"
#include "lda/topic_rows.h"

namespace sda::lda {
namespace {

constexpr int kStartUpdates = 20;  // of a document's proportions

// E[beta] of the minibatch's words, words x topics, under the topics to start from: those of a
// prior that has learnt something as they are.
std::vector<double> StartTopics(const LdaSpec& spec, const EpOptions& options,
                                const Documents& documents, const KeyedRows& prior,
                                const WordIndex& index, uint64_t key,
                                const std::shared_ptr<Backend>& backend) {
  const size_t topics = spec.topics;
  const bool first = NothingFolded(prior);
  KeyedRows sampled;
  if (first && options.start == EpStart::kSampled) {
    sampled = SampledStart(spec, {options.start_sweeps, options.seed, options.on_start_sweep},
                           documents, prior, key, backend);
  }
  const bool noisy = first && sampled.rows() == 0;
  const Noise noise(options.seed, spec.topics, options.noise_scale);
  const KeyedRows& from = sampled.rows() == 0 ? prior : sampled;
  std::vector<double> sums = TopicSums(from, spec.vocabulary);
  for (uint64_t v = 0; noisy && v < spec.vocabulary; ++v) noise.AddTo(v, sums.data());
  std::vector<double> means(index.size() * topics);
  for (size_t w = 0; w < index.size(); ++w) {
    double* row = means.data() + w * topics;
    const auto lambda = RowOf(from, index.words, w);
    std::copy(lambda.begin(), lambda.end(), row);
    if (noisy) noise.AddTo(index.words[w], row);
    for (size_t k = 0; k < topics; ++k) row[k] /= sums[k];
  }
  return means;
}

// The responsibilities of document d, by EM on its proportions, to the rows of its entries in phi.
void Respond(const Documents& documents, size_t d, const WordIndex& index,
             const std::vector<double>& means, const std::vector<double>& alpha,
             std::vector<double>* phi) {
  const size_t topics = alpha.size();
  std::vector<double> gamma = alpha;
  for (int update = 0; update < kStartUpdates; ++update) {
    std::vector<double> next = alpha;
    for (uint64_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
      const double* mean = means.data() + index.numbers[i] * topics;
      double* out = phi->data() + i * topics;
      double sum = 0;
      for (size_t k = 0; k < topics; ++k) sum += out[k] = gamma[k] * mean[k];
      for (size_t k = 0; k < topics; ++k) {
        out[k] /= sum;
        next[k] += documents.counts[i] * out[k];
      }
    }
    gamma = std::move(next);
  }
}

}  // namespace

std::vector<double> EpStartMessages(const LdaSpec& spec, const EpOptions& options,
                                    const Documents& documents, const KeyedRows& prior,
                                    const WordIndex& index, uint64_t key,
                                    const std::shared_ptr<Backend>& backend) {
  const bool first = NothingFolded(prior);
  std::vector<size_t> which;
  for (size_t d = 0; d < documents.size(); ++d) {
    if (first || BlockTokens(documents, d) > 1) which.push_back(d);
  }
  if (which.empty()) return {};
  const std::vector<double> means =
      StartTopics(spec, options, documents, prior, index, key, backend);
  const std::vector<double> alpha = spec.Alpha();
  std::vector<double> phi(documents.words.size() * alpha.size());
  for (const size_t d : which) Respond(documents, d, index, means, alpha, &phi);
  return phi;
}

}  // namespace sda::lda
