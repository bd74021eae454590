#include "lda/infer/over_time_sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/hash.h"
#include "lda/topic_rows.h"

namespace sda::lda {
namespace {

// Documents that a thread takes at once.
constexpr size_t kDocuments = 64;
// How much the model's alpha counts in the prior of a bucket: as much as this number of draws from
// the prior, of which a document has a few.
constexpr double kOfModel = 5;
constexpr float kLeastBeta = 1e-30F;  // parameters of EP may be below zero

// In lanes, so that a compiler makes vectors of it.
float Product(const float* a, const float* b, size_t count) {
  constexpr size_t kLanes = 8;
  float lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < count; ++i) lanes[0] += a[i] * b[i];
  return std::accumulate(lanes, lanes + kLanes, 0.0F);
}

// How many of n draws came from the prior, in the mean (the tables of a Chinese restaurant).
double FromPrior(double alpha, uint32_t n) {
  double sum = 0;
  const uint32_t single = std::min<uint32_t>(n, 1000);
  for (uint32_t i = 0; i < single; ++i) sum += alpha / (alpha + i);
  if (n > single) sum += alpha * std::log((alpha + n) / (alpha + single));
  return sum;
}

}  // namespace

struct OverTimeSampler::Scratch {
  explicit Scratch(size_t topics) : counts(topics), place(topics) {}
  void Add(uint32_t topic, uint32_t tokens) {
    if (counts[topic] == 0) {
      place[topic] = static_cast<uint32_t>(used.size());
      used.push_back(topic);
    }
    counts[topic] += static_cast<float>(tokens);
  }
  void Remove(uint32_t topic, uint32_t tokens) {
    counts[topic] -= static_cast<float>(tokens);
    if (counts[topic] > 0) return;
    counts[topic] = 0;
    used[place[topic]] = used.back();
    place[used.back()] = place[topic];
    used.pop_back();
  }
  void Clear() {
    for (const uint32_t topic : used) counts[topic] = 0;
    used.clear();
  }
  std::vector<float> counts;    // n_dk
  std::vector<uint32_t> place;  // of such k in used
  std::vector<uint32_t> used;
  std::vector<float> sums;  // partial ones, over used
};

OverTimeSampler::OverTimeSampler(const Input& input, ThreadPool* pool)
    : input_(input),
      pool_(pool),
      index_(input.documents, input.spec.vocabulary, pool),
      topics_(input.topics.width()),
      sums_(TopicSums(input.topics, input.spec.vocabulary)),
      beta_(index_.size() * topics_) {
  pool_->ParallelFor(index_.size(), [&](size_t w) {
    const auto row = RowOf(input_.topics, index_.words, w);
    for (size_t k = 0; k < topics_; ++k) {
      beta_[w * topics_ + k] = std::max(static_cast<float>(row[k] / sums_[k]), kLeastBeta);
    }
  });
  uint32_t buckets = 0;
  for (const uint32_t b : input_.buckets)
    buckets = b == kNoBucket ? buckets : std::max(buckets, b + 1);
  const std::vector<double> alpha = input_.spec.Alpha();
  for (uint32_t b = 0; b < buckets; ++b) alpha_.insert(alpha_.end(), alpha.begin(), alpha.end());
  PlaceTokens();
}

void OverTimeSampler::PlaceTokens() {
  const Documents& documents = input_.documents;
  first_ = {0};
  for (size_t d = 0; d < documents.size(); ++d) {
    const uint64_t block = BlockTokens(documents, d);
    const bool counts = input_.buckets[d] != kNoBucket;
    for (uint64_t entry = documents.offsets[d]; counts && entry < documents.offsets[d + 1];
         ++entry) {
      uint64_t left = documents.counts[entry];
      for (; left > 0; left -= std::min(left, block)) {
        tokens_.push_back({index_.numbers[entry], static_cast<uint32_t>(std::min(left, block))});
      }
    }
    first_.push_back(tokens_.size());
  }
  token_topics_.resize(tokens_.size());
}

void OverTimeSampler::Sweep() {
  const uint64_t key = Key(input_.seed, sweep_, 0);
  const size_t count = input_.documents.size();
  pool_->ParallelFor((count + kDocuments - 1) / kDocuments, [&](size_t part) {
    Scratch scratch(topics_);
    const size_t last = std::min(count, (part + 1) * kDocuments);
    for (size_t d = part * kDocuments; d < last; ++d) Sample(d, key, &scratch);
  });
  ++sweep_;
  UpdatePriors();
}

void OverTimeSampler::Sample(size_t d, uint64_t key, Scratch* scratch) {
  const size_t begin = first_[d];
  const size_t end = first_[d + 1];
  if (begin == end) return;
  scratch->Clear();
  const bool drawn = sweep_ > 0;  // else a token is drawn given those before it
  for (size_t t = begin; drawn && t < end; ++t) scratch->Add(token_topics_[t], tokens_[t].tokens);
  const float* const alpha = alpha_.data() + input_.buckets[d] * topics_;
  float of_prior = 0;
  for (size_t t = begin; t < end; ++t) {
    const Token& token = tokens_[t];
    const float* const beta = beta_.data() + token.word * topics_;
    if (t == begin || token.word != tokens_[t - 1].word) of_prior = Product(alpha, beta, topics_);
    if (drawn) scratch->Remove(token_topics_[t], token.tokens);
    const auto& used = scratch->used;
    scratch->sums.resize(used.size());
    float sum = 0;
    for (size_t i = 0; i < used.size(); ++i) {
      scratch->sums[i] = sum += scratch->counts[used[i]] * beta[used[i]];
    }
    float place = static_cast<float>(Uniform(Mix(key + t))) * (sum + of_prior);
    uint32_t topic = 0;
    if (place < sum) {
      size_t i = 0;
      while (scratch->sums[i] <= place) ++i;
      topic = used[i];
    } else {
      place -= sum;
      while (topic + 1 < topics_ && (place -= alpha[topic] * beta[topic]) >= 0) ++topic;
    }
    token_topics_[t] = topic;
    scratch->Add(topic, token.tokens);
  }
}

// In the order of the documents, so that the result does not depend on the threads.
void OverTimeSampler::UpdatePriors() {
  const std::vector<double> of_model = input_.spec.Alpha();
  const double alphas = std::accumulate(of_model.begin(), of_model.end(), 0.0);
  std::vector<double> draws(alpha_.size());
  for (size_t i = 0; i < draws.size(); ++i) draws[i] = kOfModel * of_model[i % topics_] / alphas;
  std::vector<uint32_t> counts(topics_);
  for (size_t d = 0; d < input_.documents.size(); ++d) {
    for (size_t t = first_[d]; t < first_[d + 1]; ++t)
      counts[token_topics_[t]] += tokens_[t].tokens;
    for (size_t t = first_[d]; t < first_[d + 1]; ++t) {
      const uint32_t k = token_topics_[t];
      const size_t at = input_.buckets[d] * topics_ + k;
      if (counts[k] > 0) draws[at] += FromPrior(alpha_[at], std::exchange(counts[k], 0));
    }
  }
  for (size_t begin = 0; begin < draws.size(); begin += topics_) {
    const double all = std::accumulate(&draws[begin], &draws[begin] + topics_, 0.0);
    for (size_t k = 0; k < topics_; ++k) {
      alpha_[begin + k] = static_cast<float>(alphas * draws[begin + k] / all);
    }
  }
}

}  // namespace sda::lda
