// Whether the intervals of topics over time hold the realised shares of generated streams: a short
// form of bench/coverage_over_time.py.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "sda/over_time.h"
#include "sda/topics.h"
#include "tests/topics/topic_test_util.h"

namespace sda {
namespace {

constexpr int kTopics = 5;
constexpr int kWords = 200;
constexpr int kDays = 10;
constexpr int64_t kDay = 86'400'000;

struct Stream {
  std::vector<std::vector<double>> topics;    // probabilities of words
  Documents documents;                        // in the order of their days
  std::vector<std::vector<double>> realised;  // days x topics: tokens
};

std::vector<double> Dirichlet(const std::vector<double>& alpha, std::mt19937_64* random) {
  std::vector<double> draws;
  double sum = 0;
  for (const double a : alpha) {
    draws.push_back(std::gamma_distribution<double>(a, 1)(*random) + 1e-300);
    sum += draws.back();
  }
  for (double& x : draws) x /= sum;
  return draws;
}

// The weight of a topic goes up and down once, by the factor exp(drift) at most.
Stream Generate(size_t documents, double drift, uint64_t seed) {
  std::mt19937_64 random(seed);
  Stream stream;
  std::vector<std::discrete_distribution<int>> words;
  for (int k = 0; k < kTopics; ++k) {
    stream.topics.push_back(Dirichlet(std::vector<double>(kWords, 0.1), &random));
    words.emplace_back(stream.topics[k].begin(), stream.topics[k].end());
  }
  stream.realised.assign(kDays, std::vector<double>(kTopics, 0.0));
  for (size_t d = 0; d < documents; ++d) {
    const size_t day = d * kDays / documents;
    std::vector<double> alpha;
    for (int k = 0; k < kTopics; ++k) {
      const double turn = static_cast<double>(d) / static_cast<double>(documents) + 0.2 * k;
      alpha.push_back(0.2 * std::exp(drift * std::sin(6.283 * turn)));
    }
    const std::vector<double> theta = Dirichlet(alpha, &random);
    std::discrete_distribution<int> topic(theta.begin(), theta.end());
    std::map<uint32_t, uint32_t> bag;
    for (int i = 0; i < 60; ++i) {
      const int k = topic(random);
      ++stream.realised[day][k];
      ++bag[static_cast<uint32_t>(words[k](random))];
    }
    for (const auto& [word, count] : bag) {
      stream.documents.words.push_back(word);
      stream.documents.counts.push_back(count);
    }
    stream.documents.offsets.push_back(stream.documents.words.size());
    stream.documents.times.push_back(static_cast<int64_t>(day) * kDay);
  }
  return stream;
}

// The fitted topic that is most like a true one.
size_t FittedTopic(const TopicModel& model, const std::vector<double>& truth) {
  std::vector<double> products(kTopics, 0.0);
  for (int v = 0; v < kWords; ++v) {
    const auto row = model.posterior.At(v);
    for (int k = 0; k < kTopics; ++k)
      products[k] += truth[v] * row[k] / model.posterior.totals()[k];
  }
  return std::max_element(products.begin(), products.end()) - products.begin();
}

TEST(TopicsOverTimeCoverageTest, IntervalsHoldTheRealisedSharesOfGeneratedStreams) {
  int held = 0;
  int all = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const Stream stream = Generate(1600, seed % 2 == 0 ? 0.6 : 0, seed);
    TopicOptions options;
    options.topics = kTopics;
    options.alpha = {0.2};
    options.eta = 0.1;
    options.seed = seed;
    TopicSession session(options, WordNames(kWords), Context(1));
    session.Update(Slice(stream.documents, 0, 800));
    for (size_t d = 800; d < 1600; d += 200) session.Update(Slice(stream.documents, d, d + 200));
    const TopicModel model = session.Snapshot();
    ASSERT_EQ(model.posterior.over_time()->Buckets().size(), kDays);
    for (int j = 0; j < kTopics; ++j) {
      const size_t k = FittedTopic(model, stream.topics[j]);
      for (const auto& bucket : model.posterior.over_time()->Buckets()) {
        const auto& truth = stream.realised[bucket.begin / kDay];
        const auto share = bucket.sums->ShareOf(k);
        const double realised = truth[j] / static_cast<double>(bucket.sums->tokens);
        held += share.lower <= realised && realised <= share.upper ? 1 : 0;
        ++all;
        EXPECT_LT(share.upper - share.lower, 0.1);  // they do not hold just anything
      }
    }
  }
  EXPECT_GT(held, 0.92 * all);
  EXPECT_LT(held, 0.995 * all);
}

}  // namespace
}  // namespace sda
