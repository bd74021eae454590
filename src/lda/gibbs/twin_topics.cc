#include "lda/gibbs/twin_topics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sda::lda {
namespace {

constexpr float kTwins = 0.85F;
constexpr size_t kWords = 2000;         // those with the most tokens are enough
constexpr size_t kMostTopics = 10'000;  // beyond, looking for them would take too long
constexpr uint32_t kNone = ~uint32_t{0};

// A column for each of the words with the most tokens; kNone for all others.
std::vector<uint32_t> Columns(const std::vector<uint64_t>& word_tokens, size_t columns) {
  std::vector<uint32_t> order(word_tokens.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return word_tokens[a] > word_tokens[b]; });
  std::vector<uint32_t> column_of(word_tokens.size(), kNone);
  for (uint32_t i = 0; i < columns; ++i) column_of[order[i]] = i;
  return column_of;
}

}  // namespace

std::vector<std::pair<uint32_t, uint32_t>> TwinTopics(const std::vector<uint32_t>& token_words,
                                                      const std::vector<uint32_t>& token_topics,
                                                      const std::vector<uint64_t>& word_tokens,
                                                      size_t topics, ThreadPool* pool) {
  if (topics > kMostTopics) return {};
  const size_t words = std::min(word_tokens.size(), kWords);
  const std::vector<uint32_t> column_of = Columns(word_tokens, words);
  std::vector<float> counts(words * topics);  // word by word
  for (size_t token = 0; token < token_topics.size(); ++token) {
    const uint32_t column = column_of[token_words[token]];
    if (column != kNone) ++counts[column * topics + token_topics[token]];
  }
  std::vector<float> length(topics, 0.0F);
  for (size_t w = 0; w < words; ++w) {
    const float* row = counts.data() + w * topics;
    for (size_t k = 0; k < topics; ++k) length[k] += row[k] * row[k];
  }
  for (float& x : length) x = std::sqrt(std::max(x, 1.0F));
  std::vector<uint32_t> twin_of(topics, kNone);
  pool->ParallelFor(topics, [&](size_t a) {
    std::vector<float> product(topics, 0.0F);  // with each topic; a has few of the words
    for (size_t w = 0; w < words; ++w) {
      const float* row = counts.data() + w * topics;
      const float of_a = row[a];
      if (of_a == 0) continue;
      for (size_t b = a + 1; b < topics; ++b) product[b] += of_a * row[b];
    }
    float closest = kTwins;
    for (size_t b = a + 1; b < topics; ++b) {
      const float cosine = product[b] / (length[a] * length[b]);
      if (cosine > closest) {
        closest = cosine;
        twin_of[a] = static_cast<uint32_t>(b);
      }
    }
  });
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  std::vector<bool> taken(topics, false);
  for (uint32_t a = 0; a < topics; ++a) {
    const uint32_t b = twin_of[a];
    if (b == kNone || taken[a] || taken[b]) continue;
    taken[a] = taken[b] = true;
    pairs.emplace_back(a, b);
  }
  return pairs;
}

}  // namespace sda::lda
