// What holds for every start, schedule and precision.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "lda_test_util.h"
#include "sda/lda_bound.h"

namespace sda {
namespace {

double Learnt(const KeyedRows& posterior) {
  const auto totals = posterior.totals();
  return std::accumulate(totals.begin(), totals.end(), 0.0);
}

// Enough topics that rows are first used where they lie, and documents of several blocks.
Documents WideCorpus() { return Generate(RandomTopics(40, 2000, 0.02, 7), 0.1, 150, 300, 8); }

LdaOptions WideOptions() {
  LdaOptions options;
  options.topics = 70;
  options.vocabulary = 2000;
  options.outer_iterations = 5;
  options.outer_tolerance = 0;
  return options;
}

TEST(InvariantsTest, LambdaHoldsEveryTokenForEveryStartAndSchedule) {
  const Documents corpus = WideCorpus();
  for (const LdaStart start : {LdaStart::kPrior, LdaStart::kMixed, LdaStart::kRandom}) {
    for (const Schedule schedule : {Schedule::kSerial, Schedule::kSynchronous}) {
      LdaOptions options = WideOptions();
      options.precision = Precision::kDouble;
      options.start = start;
      RunOptions run;
      run.schedule = schedule;
      run.workers = schedule == Schedule::kSerial ? 1 : 3;
      const KeyedRows posterior = Fit(Cut(corpus, 40), LdaVb(options), LdaPrior(options), run);
      EXPECT_NEAR(Learnt(posterior) / Tokens(corpus), 1, 1e-9);
      const std::vector<double> lambda = Matrix(posterior, options.vocabulary);
      const double sum = std::accumulate(lambda.begin(), lambda.end(), 0.0);
      EXPECT_NEAR((sum - 70 * 2000 * options.eta) / Tokens(corpus), 1, 1e-9);
    }
  }
}

TEST(InvariantsTest, LambdaHoldsEveryTokenInFloat) {
  const Documents corpus = WideCorpus();
  const LdaOptions options = WideOptions();
  const KeyedRows posterior = Fit(Cut(corpus, 40), LdaVb(options), LdaPrior(options));
  EXPECT_NEAR(Learnt(posterior) / Tokens(corpus), 1, 1e-6);
}

TEST(InvariantsTest, TheResultIsBitIdenticalForAnyNumberOfThreads) {
  const std::vector<Documents> minibatches = Cut(WideCorpus(), 75);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    LdaOptions options = WideOptions();
    options.precision = precision;
    const std::vector<double> one =
        Matrix(Fit(minibatches, LdaVb(options), LdaPrior(options)), options.vocabulary);
    for (const int threads : {2, 3, 8}) {
      options.threads = threads;
      EXPECT_EQ(Matrix(Fit(minibatches, LdaVb(options), LdaPrior(options)), options.vocabulary),
                one)
          << threads << " threads";
    }
  }
}

TEST(InvariantsTest, OneTopicIsTheExactPosterior) {
  const Documents corpus = GoldenDocuments();
  LdaOptions options = GoldenOptions();
  options.topics = 1;
  std::vector<double> expected(60, options.eta);
  for (size_t i = 0; i < corpus.words.size(); ++i) expected[corpus.words[i]] += corpus.counts[i];
  for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
    options.precision = precision;
    const KeyedRows posterior = Fit(Cut(corpus, 16), LdaVb(options), LdaPrior(options));
    EXPECT_LT(LargestRelativeError(Matrix(posterior, 60), expected),
              precision == Precision::kDouble ? 1e-12 : 1e-6);
  }
}

TEST(InvariantsTest, TheBoundNeverDecreasesInBatchVb) {
  for (const double eta : {0.01, 0.5}) {
    LdaOptions options = WideOptions();
    options.precision = Precision::kDouble;
    options.eta = eta;
    options.outer_iterations = 25;
    options.start = LdaStart::kPrior;
    std::vector<double> bounds;
    const LdaVb batch(options, [&](const LdaPass& pass) { bounds.push_back(pass.bound); });
    batch(WideCorpus(), LdaPrior(options));
    ASSERT_EQ(bounds.size(), 25u);
    for (size_t i = 1; i < bounds.size(); ++i) {
      EXPECT_GE(bounds[i], bounds[i - 1] - 1e-9 * std::abs(bounds[i - 1])) << i;
    }
    EXPECT_GT(bounds.back(), bounds.front() + 1);
  }
}

TEST(InvariantsTest, EveryWordOfTheMinibatchAndNoOtherIsTouched) {
  Documents documents{{0, 2, 3}, {5, 9, 5}, {1, 2, 3}, {1, 2}, 0};
  LdaOptions options;
  options.vocabulary = 10;
  const LdaVb vb(options);
  EXPECT_EQ(vb.Touches(documents).keys, (std::vector<uint64_t>{5, 9}));
  EXPECT_FALSE(vb.Touches(documents).everything);
  EXPECT_EQ(vb.Change(documents, LdaPrior(options)).rows(), 2u);
  documents.words[1] = 10;
  EXPECT_THROW(vb.Touches(documents), std::invalid_argument);
  EXPECT_THROW(vb(documents, LdaPrior(options)), std::invalid_argument);
}

TEST(InvariantsTest, AnAsymmetricEtaIsAPriorWithRows) {
  // With one topic the posterior is exact, whatever the rows are.
  LdaOptions options = GoldenOptions();
  options.topics = 1;
  KeyedRows prior = LdaPrior(options);
  prior.Add(3, std::vector<double>{2.5});
  prior.Add(59, std::vector<double>{0.25});
  const Documents corpus = GoldenDocuments();
  std::vector<double> expected(60, options.eta);
  expected[3] += 2.5;
  expected[59] += 0.25;
  for (size_t i = 0; i < corpus.words.size(); ++i) expected[corpus.words[i]] += corpus.counts[i];
  EXPECT_LT(LargestRelativeError(Matrix(Fit(Cut(corpus, 30), LdaVb(options), prior), 60), expected),
            1e-12);
}

TEST(InvariantsTest, DocumentsWithoutWordsChangeNothing) {
  Documents documents{{0, 0, 1, 1}, {4}, {2}, {1, 2, 3}, 0};
  LdaOptions options = GoldenOptions();
  const KeyedRows posterior = LdaVb(options)(documents, LdaPrior(options));
  EXPECT_EQ(posterior.rows(), 1u);
  EXPECT_NEAR(Learnt(posterior), 2, 1e-12);
}

TEST(InvariantsTest, WhatWasDoneIsReported) {
  LdaOptions options = GoldenOptions();
  const LdaVb vb(options);
  Fit(Cut(GoldenDocuments(), 20), vb, LdaPrior(options));
  const LdaStats stats = vb.stats();
  EXPECT_EQ(stats.minibatches, 4u);
  EXPECT_EQ(stats.documents, 80u);
  EXPECT_EQ(stats.tokens, 3200u);
  EXPECT_EQ(stats.outer_iterations, 16u);
  EXPECT_EQ(stats.local_updates, 80u * 4 * 30);
  EXPECT_EQ(stats.unconverged_documents, 80u);
  EXPECT_EQ(stats.unconverged_minibatches, 4u);
}

TEST(InvariantsTest, BadOptionsAreRefusedByName) {
  const auto message = [](auto change) {
    LdaOptions options = GoldenOptions();
    change(&options);
    try {
      LdaVb vb(options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message([](LdaOptions* o) { o->topics = 0; }),
            "topics is 0, must be between 1 and 2^20");
  EXPECT_EQ(message([](LdaOptions* o) {
              o->alpha = {1, 2};
            }),
            "alpha's length is 2, must be 0, 1 or the number of topics");
  EXPECT_EQ(message([](LdaOptions* o) { o->eta = -1; }),
            "eta is -1.000000, must be positive and finite");
  EXPECT_EQ(message([](LdaOptions* o) { o->threads = 0; }), "threads is 0, must be at least 1");
  EXPECT_EQ(message([](LdaOptions*) {}), "");
  EXPECT_THROW(LdaSvi(GoldenOptions(), SviOptions{}), std::invalid_argument);
}

}  // namespace
}  // namespace sda
