#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "lda_test_util.h"
#include "sda/lda_score.h"
#include "sda/lda_topics.h"

namespace sda {
namespace {

TEST(TopicsTest, AreSortedByShareWithTheirMostProbableWordsFirst) {
  LdaOptions options;
  options.topics = 2;
  options.vocabulary = 5;
  options.eta = 1;
  KeyedRows posterior = LdaPrior(options);
  posterior.Add(4, std::vector<double>{3, 0});
  posterior.Add(2, std::vector<double>{1, 11});
  posterior.Add(0, std::vector<double>{0, 5});
  const auto topics = SummarizeTopics(posterior, options, 2);
  ASSERT_EQ(topics.size(), 2u);
  EXPECT_EQ(topics[0].topic, 1u);
  EXPECT_DOUBLE_EQ(topics[0].share, 16.0 / 20);
  EXPECT_DOUBLE_EQ(topics[1].share, 4.0 / 20);
  ASSERT_EQ(topics[0].top_words.size(), 2u);
  EXPECT_EQ(topics[0].top_words[0].word, 2u);
  EXPECT_EQ(topics[0].top_words[1].word, 0u);
  EXPECT_DOUBLE_EQ(topics[0].top_words[0].probability.mean, 12.0 / 21);
  EXPECT_EQ(topics[1].top_words[0].word, 4u);
  EXPECT_DOUBLE_EQ(topics[1].top_words[0].probability.mean, 4.0 / 9);
}

TEST(TopicsTest, IntervalsHoldNinetyFivePercentOfDirichletDraws) {
  LdaOptions options;
  options.topics = 1;
  options.vocabulary = 3;
  options.eta = 2;
  KeyedRows posterior = LdaPrior(options);
  posterior.Add(1, std::vector<double>{5});
  const Estimate estimate = SummarizeTopics(posterior, options, 1)[0].top_words[0].probability;
  std::mt19937_64 random(5);
  std::gamma_distribution<double> seven(7), two(2);
  int inside = 0;
  const int draws = 40000;
  for (int i = 0; i < draws; ++i) {
    const double a = seven(random), rest = two(random) + two(random);
    const double p = a / (a + rest);
    inside += p > estimate.lower && p < estimate.upper;
  }
  EXPECT_NEAR(inside / static_cast<double>(draws), 0.95, 0.005);
}

TEST(TopicsTest, InferredProportionsSumToOneAndComeLargestFirst) {
  LdaOptions options = GoldenOptions();
  options.local_tolerance = 1e-6;
  options.local_updates = 1000;
  const Documents corpus = GoldenDocuments();
  const KeyedRows posterior = Fit(Cut(corpus, 20), LdaVb(options), LdaPrior(options));
  const auto documents = InferTopics(posterior, corpus, options);
  ASSERT_EQ(documents.size(), 80u);
  for (const DocumentTopics& document : documents) {
    double sum = 0;
    for (size_t i = 0; i < document.topics.size(); ++i) {
      const Estimate& p = document.topics[i].proportion;
      sum += p.mean;
      EXPECT_LE(p.lower, p.mean);
      EXPECT_LE(p.mean, p.upper + 1e-12);
      if (i > 0) {
        EXPECT_GE(document.topics[i - 1].proportion.mean, p.mean);
      }
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  EXPECT_EQ(documents[7].number, 8u);
  options.threads = 3;
  const auto two = InferTopics(posterior, corpus, options, 2);
  EXPECT_EQ(two[7].topics.size(), 2u);
  EXPECT_EQ(two[7].topics[1].proportion.mean, documents[7].topics[1].proportion.mean);
}

// The largest cosine that each true topic has with a fitted one.
std::vector<double> BestCosines(const std::vector<std::vector<double>>& truth,
                                const KeyedRows& posterior) {
  const size_t vocabulary = truth[0].size();
  std::vector<double> best(truth.size(), 0.0);
  for (size_t t = 0; t < truth.size(); ++t) {
    for (size_t k = 0; k < posterior.width(); ++k) {
      double dot = 0, a = 0, b = 0;
      for (size_t v = 0; v < vocabulary; ++v) {
        const double lambda = posterior.At(v)[k];
        dot += truth[t][v] * lambda;
        a += truth[t][v] * truth[t][v];
        b += lambda * lambda;
      }
      best[t] = std::max(best[t], dot / std::sqrt(a * b));
    }
  }
  return best;
}

TEST(TopicsTest, EveryTopicOfAKnownModelIsRecovered) {
  const auto truth = RandomTopics(10, 1000, 0.1, 11);
  const Documents corpus = Generate(truth, 0.1, 20000, 60, 12);
  LdaOptions options;
  options.topics = 10;
  options.vocabulary = 1000;
  options.alpha = {0.1};
  options.eta = 0.1;
  const KeyedRows posterior = Fit(Cut(corpus, 1000), LdaVb(options), LdaPrior(options));
  for (const double cosine : BestCosines(truth, posterior)) EXPECT_GT(cosine, 0.95);
}

}  // namespace
}  // namespace sda
