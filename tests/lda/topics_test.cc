#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "lda_test_util.h"
#include "sda/lda_gibbs.h"
#include "sda/lda_score.h"
#include "sda/lda_topics.h"

namespace sda {
namespace {

TEST(TopicsTest, AreSortedByShareWithTheirMostProbableWordsFirst) {
  const LdaSpec spec{.topics = 2, .vocabulary = 5, .eta = 1};
  KeyedRows posterior = LdaPrior(spec);
  posterior.Add(4, std::vector<double>{3, 0});
  posterior.Add(2, std::vector<double>{1, 11});
  posterior.Add(0, std::vector<double>{0, 5});
  const auto topics = SummarizeTopics(posterior, spec, 2);
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
  const LdaSpec spec{.topics = 1, .vocabulary = 3, .eta = 2};
  KeyedRows posterior = LdaPrior(spec);
  posterior.Add(1, std::vector<double>{5});
  const Estimate estimate = SummarizeTopics(posterior, spec, 1)[0].top_words[0].probability;
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

// A word of which it is not known whether the topic has it at all is neither there nor not there,
// which no Beta distribution says.
TEST(TopicsTest, IntervalsOfWordsThatATopicMayNotHaveAreApproximate) {
  const LdaSpec spec{.topics = 1, .vocabulary = 4, .eta = 0.1};
  KeyedRows posterior = LdaPrior(spec);
  KeyedRows variances(std::vector<double>{0});
  const auto add = [&](uint64_t word, double count, double variance) {
    posterior.Add(word, std::vector<double>{count});
    variances.Set(word, std::vector<double>{variance});
  };
  add(0, 1000, 900);
  add(1, 50, 300);
  add(2, 10, 40);    // is wider than half of its mean, since topics are not known
  add(3, 2, 0.001);  // and this since it is rare
  const auto approximate = [&] {
    std::vector<uint64_t> words;
    const std::vector<TopicSummary> topics = SummarizeTopics(posterior, spec, 4);
    for (const TopicWord& word : topics[0].top_words) {
      if (word.probability.approximate) words.push_back(word.word);
    }
    return words;
  };
  EXPECT_TRUE(approximate().empty());  // while the variances are not there
  posterior.SetVariances(RowVariances(std::move(variances)));
  EXPECT_EQ(approximate(), std::vector<uint64_t>{2});
}

class InferTest : public OnBackend {};
INSTANTIATE_TEST_SUITE_P(Backends, InferTest, testing::ValuesIn(Backends()), NameOfBackend);

TEST_P(InferTest, InferredProportionsSumToOneAndComeLargestFirst) {
  const LdaSpec spec = GoldenSpec();
  VbOptions options = GoldenOptions();
  options.local = {.precision = Precision::kDouble, .tolerance = 1e-6, .updates = 1000};
  const Documents corpus = GoldenDocuments();
  const KeyedRows posterior = Fit(Cut(corpus, 20), LdaVb(spec, options), LdaPrior(spec));
  const auto infer = [&](size_t most, int threads) {
    return InferTopics(posterior, corpus, spec, Context(threads), most, {.local = options.local},
                       Backend(threads));
  };
  const auto documents = infer(0, 1);
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
  const auto two = infer(2, 3);
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

double WorstCosine(const std::vector<std::vector<double>>& truth, const KeyedRows& posterior) {
  const std::vector<double> best = BestCosines(truth, posterior);
  return *std::min_element(best.begin(), best.end());
}

// A known model, its documents, and the two primitives with their default options.
class KnownModel : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr int kTopics = 10;
  static constexpr uint64_t kVocabulary = 1000;

  double WorstCosineAfter(const std::vector<Documents>& minibatches, uint64_t seed,
                          const RunOptions& run = {}) const {
    if (GetParam()) {
      const LdaSpec spec = GibbsSpec(kTopics, kVocabulary);
      GibbsOptions options;
      options.seed = seed;
      return WorstCosine(truth_, Fit(minibatches, LdaGibbs(spec, options), LdaPrior(spec), run));
    }
    const LdaSpec spec = VbSpec(kTopics, kVocabulary);
    VbOptions options;
    options.seed = seed;
    return WorstCosine(truth_, Fit(minibatches, LdaVb(spec, options), LdaPrior(spec), run));
  }

  const std::vector<std::vector<double>> truth_ = RandomTopics(kTopics, kVocabulary, 0.1, 11);
  const Documents corpus_ = Generate(truth_, 0.1, 6000, 60, 12);
};

TEST_P(KnownModel, EveryTopicIsRecovered) {
  for (const uint64_t seed : {1, 2, 3}) {
    EXPECT_GT(WorstCosineAfter(Cut(corpus_, 1000), seed), 0.95) << "seed " << seed;
  }
}

// Models for which these starts find two topics as one, and another one twice.
TEST(TopicsTest, TwinsAreUsedAgain) {
  for (const uint64_t model : {2, 6, 8}) {
    const auto truth = RandomTopics(10, 1000, 0.1, model);
    const LdaSpec spec = GibbsSpec(10, 1000);
    const KeyedRows posterior =
        Fit({Generate(truth, 0.1, 3000, 60, model + 100)}, LdaGibbs(spec), LdaPrior(spec));
    EXPECT_GT(WorstCosine(truth, posterior), 0.95) << "model " << model;
  }
}

TEST_P(KnownModel, WorkersAgreeOnTheTopicsOnlyIfOneMinibatchGoesFirst) {
  for (const Schedule schedule : {Schedule::kSynchronous, Schedule::kAsynchronous}) {
    for (const int workers : {2, 32}) {
      RunOptions run;
      run.schedule = schedule;
      run.workers = workers;
      run.serial_first = 1;
      EXPECT_GT(WorstCosineAfter(Cut(corpus_, 1000), 1, run), 0.95) << workers << " workers";
    }
  }
  RunOptions all_at_once;
  all_at_once.schedule = Schedule::kSynchronous;
  all_at_once.workers = 6;
  EXPECT_LT(WorstCosineAfter(Cut(corpus_, 1000), 1, all_at_once), 0.9);
}

INSTANTIATE_TEST_SUITE_P(Primitives, KnownModel, ::testing::Bool(),
                         [](const auto& p) { return p.param ? "Gibbs" : "Vb"; });

}  // namespace
}  // namespace sda
