// What holds for every start, schedule and precision.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "lda_test_util.h"
#include "sda/errors.h"
#include "sda/lda_ep.h"
#include "sda/lda_gibbs.h"
#include "sda/lda_svi.h"

namespace sda {
namespace {

double Learnt(const KeyedRows& posterior) {
  const auto totals = posterior.totals();
  return std::accumulate(totals.begin(), totals.end(), 0.0);
}

// Enough topics that rows are first used where they lie, and documents of several blocks.
Documents WideCorpus() { return Generate(RandomTopics(40, 2000, 0.02, 7), 0.1, 150, 300, 8); }

LdaSpec WideSpec() { return VbSpec(70, 2000); }

VbOptions WideOptions() {
  VbOptions options;
  options.outer_iterations = 5;
  options.outer_tolerance = 0;
  return options;
}

class InvariantsTest : public OnBackend {
 protected:
  static LdaVb Vb(const LdaSpec& spec, const VbOptions& options, LdaVb::OnPass on_pass = {}) {
    return LdaVb(spec, options, Context(1), std::move(on_pass), Backend());
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, InvariantsTest, testing::ValuesIn(Backends()), NameOfBackend);

TEST_P(InvariantsTest, LambdaHoldsEveryTokenForEveryStartAndSchedule) {
  const Documents corpus = WideCorpus();
  for (const LdaStart start : {LdaStart::kPrior, LdaStart::kMixed, LdaStart::kRandom}) {
    for (const Schedule schedule : {Schedule::kSerial, Schedule::kSynchronous}) {
      const LdaSpec spec = WideSpec();
      VbOptions options = WideOptions();
      options.local.precision = Precision::kDouble;
      options.start = start;
      RunOptions run;
      run.schedule = schedule;
      run.workers = schedule == Schedule::kSerial ? 1 : 3;
      const KeyedRows posterior = Fit(Cut(corpus, 40), Vb(spec, options), LdaPrior(spec), run);
      EXPECT_NEAR(Learnt(posterior) / Tokens(corpus), 1, 1e-9);
      const std::vector<double> lambda = Matrix(posterior, spec.vocabulary);
      const double sum = std::accumulate(lambda.begin(), lambda.end(), 0.0);
      EXPECT_NEAR((sum - 70 * 2000 * spec.eta) / Tokens(corpus), 1, 1e-9);
    }
  }
}

TEST_P(InvariantsTest, LambdaHoldsEveryTokenInFloat) {
  const Documents corpus = WideCorpus();
  const KeyedRows posterior =
      Fit(Cut(corpus, 40), Vb(WideSpec(), WideOptions()), LdaPrior(WideSpec()));
  EXPECT_NEAR(Learnt(posterior) / Tokens(corpus), 1, 1e-6);
}

TEST_P(InvariantsTest, TheResultIsBitIdenticalForAnyNumberOfThreads) {
  const std::vector<Documents> minibatches = Cut(WideCorpus(), 75);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    VbOptions options = WideOptions();
    options.local.precision = precision;
    const auto fit = [&](int threads) {
      const LdaVb vb(WideSpec(), options, Context(threads), {}, Backend(threads));
      return Matrix(Fit(minibatches, vb, LdaPrior(WideSpec())), WideSpec().vocabulary);
    };
    const std::vector<double> one = fit(1);
    for (const int threads : {2, 3, 8}) EXPECT_EQ(fit(threads), one) << threads << " threads";
  }
}

TEST_P(InvariantsTest, TheResultIsBitIdenticalForAnyNumberOfWorkersThreads) {
  // The same synchronous run, with the threads that its workers share.
  const std::vector<Documents> minibatches = Cut(WideCorpus(), 30);
  RunOptions run;
  run.schedule = Schedule::kSynchronous;
  run.workers = 2;
  run.serial_first = 1;
  VbOptions options = WideOptions();
  options.workers = 2;
  const auto fit = [&](int threads) {
    const LdaVb vb(WideSpec(), options, Context(threads), {}, Backend(threads, 2));
    return Matrix(Fit(minibatches, vb, LdaPrior(WideSpec()), run), WideSpec().vocabulary);
  };
  const std::vector<double> one = fit(1);
  for (const int threads : {2, 5}) EXPECT_EQ(fit(threads), one) << threads << " threads";
}

TEST_P(InvariantsTest, OneTopicIsTheExactPosterior) {
  const Documents corpus = GoldenDocuments();
  LdaSpec spec = GoldenSpec();
  spec.topics = 1;
  VbOptions options = GoldenOptions();
  std::vector<double> expected(60, spec.eta);
  for (size_t i = 0; i < corpus.words.size(); ++i) expected[corpus.words[i]] += corpus.counts[i];
  for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
    options.local.precision = precision;
    const KeyedRows posterior = Fit(Cut(corpus, 16), Vb(spec, options), LdaPrior(spec));
    EXPECT_LT(LargestRelativeError(Matrix(posterior, 60), expected),
              precision == Precision::kDouble ? 1e-12 : 1e-6);
  }
}

TEST_P(InvariantsTest, TheBoundNeverDecreasesInBatchVb) {
  for (const double eta : {0.01, 0.5}) {
    LdaSpec spec = WideSpec();
    spec.eta = eta;
    VbOptions options = WideOptions();
    options.local.precision = Precision::kDouble;
    options.outer_iterations = 25;
    options.start = LdaStart::kPrior;
    std::vector<double> bounds;
    const LdaVb batch =
        Vb(spec, options, [&](const LdaPass& pass) { bounds.push_back(pass.bound); });
    batch(WideCorpus(), LdaPrior(spec), 0);
    ASSERT_EQ(bounds.size(), 25u);
    for (size_t i = 1; i < bounds.size(); ++i) {
      EXPECT_GE(bounds[i], bounds[i - 1] - 1e-9 * std::abs(bounds[i - 1])) << i;
    }
    EXPECT_GT(bounds.back(), bounds.front() + 1);
  }
}

TEST_P(InvariantsTest, EveryWordOfTheMinibatchAndNoOtherIsTouched) {
  Documents documents{{0, 2, 3}, {5, 9, 5}, {1, 2, 3}, {1, 2}};
  const LdaSpec spec = VbSpec(100, 10);
  const LdaVb vb = Vb(spec, {});
  EXPECT_EQ(vb.Touches(documents).keys, (std::vector<uint64_t>{5, 9}));
  EXPECT_FALSE(vb.Touches(documents).everything);
  EXPECT_EQ(vb.Change(documents, LdaPrior(spec), 0).rows(), 2u);
  documents.words[1] = 10;
  EXPECT_THROW(vb.Touches(documents), InputError);
  EXPECT_THROW(vb(documents, LdaPrior(spec), 0), InputError);
}

TEST_P(InvariantsTest, AnAsymmetricEtaIsAPriorWithRows) {
  // With one topic the posterior is exact for any rows.
  LdaSpec spec = GoldenSpec();
  spec.topics = 1;
  KeyedRows prior = LdaPrior(spec);
  prior.Add(3, std::vector<double>{2.5});
  prior.Add(59, std::vector<double>{0.25});
  const Documents corpus = GoldenDocuments();
  std::vector<double> expected(60, spec.eta);
  expected[3] += 2.5;
  expected[59] += 0.25;
  for (size_t i = 0; i < corpus.words.size(); ++i) expected[corpus.words[i]] += corpus.counts[i];
  EXPECT_LT(LargestRelativeError(Matrix(Fit(Cut(corpus, 30), Vb(spec, GoldenOptions()), prior), 60),
                                 expected),
            1e-12);
}

TEST_P(InvariantsTest, DocumentsWithoutWordsChangeNothing) {
  Documents documents{{0, 0, 1, 1}, {4}, {2}, {1, 2, 3}};
  const KeyedRows posterior =
      Vb(GoldenSpec(), GoldenOptions())(documents, LdaPrior(GoldenSpec()), 0);
  EXPECT_EQ(posterior.rows(), 1u);
  EXPECT_NEAR(Learnt(posterior), 2, 1e-12);
}

TEST_P(InvariantsTest, WhatWasDoneIsReported) {
  const LdaVb vb = Vb(GoldenSpec(), GoldenOptions());
  Fit(Cut(GoldenDocuments(), 20), vb, LdaPrior(GoldenSpec()));
  const LdaStats stats = vb.stats();
  EXPECT_EQ(stats.minibatches, 4u);
  EXPECT_EQ(stats.documents, 80u);
  EXPECT_EQ(stats.tokens, 3200u);
  EXPECT_EQ(stats.outer_iterations, 16u);
  EXPECT_EQ(stats.local_updates, 80u * 4 * 30);
  EXPECT_EQ(stats.unconverged_documents, 80u);
  EXPECT_EQ(stats.unconverged_minibatches, 4u);
}

TEST(OptionsTest, BadOptionsAreRefusedByName) {
  const auto message = [](auto change) {
    LdaSpec spec = GoldenSpec();
    VbOptions options = GoldenOptions();
    change(&spec, &options);
    try {
      LdaVb vb(spec, options);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message([](LdaSpec* s, VbOptions*) { s->topics = 0; }),
            "topics is 0, must be between 1 and 2^20");
  EXPECT_EQ(message([](LdaSpec* s, VbOptions*) {
              s->alpha = {1, 2};
            }),
            "alpha's length is 2, must be 0, 1 or the number of topics");
  EXPECT_EQ(message([](LdaSpec* s, VbOptions*) { s->eta = -1; }),
            "eta is -1, must be from 1e-20 to 1e15");
  EXPECT_EQ(message([](LdaSpec*, VbOptions* o) { o->workers = 0; }),
            "workers is 0, must be at least 1");
  EXPECT_EQ(message([](LdaSpec*, VbOptions* o) { o->local.updates = 0; }),
            "local updates is 0, must be at least 1");
  EXPECT_EQ(message([](LdaSpec*, VbOptions*) {}), "");
  EXPECT_THROW(LdaSvi(GoldenSpec(), SviOptions{}), UsageError);
}

TEST(OptionsTest, EachPrimitiveHasTheAlphaAndEtaThatSuitIt) {
  EXPECT_EQ(VbSpec(4, 9).Alpha(), std::vector<double>(4, 0.25));
  EXPECT_EQ(VbSpec(4, 9).eta, 0.3);
  EXPECT_EQ(GibbsSpec(4, 9).Alpha(), std::vector<double>(4, 0.5));
  EXPECT_EQ(GibbsSpec(4, 9).eta, 0.15);
  EXPECT_EQ(EpSpec(4, 9).Alpha(), std::vector<double>(4, 0.25));
  EXPECT_EQ(EpSpec(4, 9).eta, 1);
}

}  // namespace
}  // namespace sda
