#include "lda/infer/document_sampler.h"

#include <algorithm>

#include "base/hash.h"

namespace sda::lda {
namespace {

constexpr uint64_t kSeed = 17;
constexpr size_t kBlock = 32;  // topics

uint64_t HashOf(const KnownDocument& document) {
  uint64_t hash = Mix(kSeed);
  for (size_t w = 0; w < document.words.size(); ++w) {
    hash = Key(hash, document.words[w], static_cast<uint64_t>(document.counts[w]));
  }
  return hash;
}

}  // namespace

DocumentSampler::DocumentSampler(const KnownTopics& topics, const KnownDocument& document,
                                 std::span<const double> gamma)
    : topics_(topics),
      document_(document),
      blocks_((topics.topics() + kBlock - 1) / kBlock),
      tokens_(topics.topics()),
      place_(topics.topics()),
      random_(HashOf(document)) {
  for (size_t k = 0; k < topics.topics(); ++k) {
    prior_.push_back(topics.alpha[k] / topics.sums[k]);
  }
  of_blocks_.reserve(document.rows.size() * blocks_);
  for (const std::span<const double> row : document.rows) {
    double sum = 0;
    for (size_t begin = 0; begin < row.size(); begin += kBlock) {
      const size_t end = std::min(begin + kBlock, row.size());
      double block = 0;
      for (size_t k = begin; k < end; ++k) block += prior_[k] * row[k];
      of_blocks_.push_back(sum += block);
    }
  }
  Start(gamma);
}

// A stream of splitmix64.
double DocumentSampler::Random() { return Uniform(Mix(random_ += 0x9E3779B97F4A7C15)); }

void DocumentSampler::Start(std::span<const double> gamma) {
  std::vector<double> weights(gamma.size());
  std::vector<double> sums(gamma.size());
  for (size_t k = 0; k < gamma.size(); ++k) weights[k] = gamma[k] / topics_.sums[k];
  for (uint32_t w = 0; w < document_.rows.size(); ++w) {
    double sum = 0;
    for (size_t k = 0; k < gamma.size(); ++k) sums[k] = sum += weights[k] * document_.rows[w][k];
    const auto count = static_cast<uint64_t>(document_.counts[w]);
    for (uint64_t i = 0; i < count; ++i) {
      const auto found = std::upper_bound(sums.begin(), sums.end() - 1, Random() * sum);
      const auto topic = static_cast<uint32_t>(found - sums.begin());
      document_tokens_.push_back({w, topic});
      Add(topic);
    }
  }
}

void DocumentSampler::Add(uint32_t topic) {
  if (tokens_[topic]++ == 0) {
    place_[topic] = static_cast<uint32_t>(used_.size());
    used_.push_back(topic);
    weights_.push_back(0);
    partial_sums_.push_back(0);
  }
  weights_[place_[topic]] = tokens_[topic] / topics_.sums[topic];
}

void DocumentSampler::Remove(uint32_t topic) {
  const uint32_t place = place_[topic];
  if (--tokens_[topic] > 0) {
    weights_[place] = tokens_[topic] / topics_.sums[topic];
    return;
  }
  used_[place] = used_.back();
  weights_[place] = weights_.back();
  place_[used_[place]] = place;
  used_.pop_back();
  weights_.pop_back();
  partial_sums_.pop_back();
}

void DocumentSampler::Sweep() {
  for (Token& token : document_tokens_) {
    Remove(token.topic);
    token.topic = Draw(token.word);
    Add(token.topic);
  }
}

uint32_t DocumentSampler::Draw(uint32_t word) {
  const double* const row = document_.rows[word].data();
  double sum = 0;
  for (size_t i = 0; i < used_.size(); ++i) {
    partial_sums_[i] = sum += weights_[i] * row[used_[i]];
  }
  const double of_prior = of_blocks_[(word + 1) * blocks_ - 1];
  const double place = Random() * (sum + of_prior);
  if (!(place < sum)) return DrawFromPrior(word, place - sum);
  size_t i = 0;
  while (partial_sums_[i] <= place) ++i;
  return used_[i];
}

uint32_t DocumentSampler::DrawFromPrior(uint32_t word, double place) const {
  const double* const sums = of_blocks_.data() + word * blocks_;
  const size_t block = std::upper_bound(sums, sums + blocks_ - 1, place) - sums;
  const std::span<const double> row = document_.rows[word];
  const size_t last = std::min((block + 1) * kBlock, row.size()) - 1;
  size_t k = block * kBlock;
  if (block > 0) place -= sums[block - 1];
  while (k < last && (place -= prior_[k] * row[k]) >= 0) ++k;
  return static_cast<uint32_t>(k);
}

}  // namespace sda::lda
