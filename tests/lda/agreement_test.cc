// Agreement with the reference, which golden.h was made from.
#include <gtest/gtest.h>

#include <cmath>

#include "base/hash.h"
#include "lda_test_util.h"
#include "sda/lda_bound.h"
#include "sda/lda_score.h"

namespace sda {
namespace {

constexpr double kTolerance = 1e-6;

double ErrorOf(const LdaOptions& options, size_t minibatch, const std::vector<double>& expected,
               const RunOptions& run = {}) {
  const KeyedRows lambda =
      Fit(Cut(GoldenDocuments(), minibatch), LdaVb(options), LdaPrior(options), run);
  return LargestRelativeError(Matrix(lambda, options.vocabulary), expected);
}

TEST(AgreementTest, SerialSdaIsTheReferences) {
  EXPECT_LT(ErrorOf(GoldenOptions(), 20, golden::kSda), kTolerance);
}

TEST(AgreementTest, SerialSdaWithWarmGammaIsTheReferences) {
  LdaOptions options = GoldenOptions();
  options.warm_gamma = true;
  EXPECT_LT(ErrorOf(options, 20, golden::kSdaWarm), kTolerance);
}

TEST(AgreementTest, AsymmetricAlphaIsTheReferences) {
  LdaOptions options = GoldenOptions();
  options.alpha = {0.1, 0.2, 0.3, 0.4, 0.5};
  EXPECT_LT(ErrorOf(options, 20, golden::kSdaAsymmetric), kTolerance);
}

TEST(AgreementTest, SmallAlphaAndEtaAreTheReferences) {
  LdaOptions options = GoldenOptions();
  options.alpha = {0.01};
  options.eta = 0.001;
  EXPECT_LT(ErrorOf(options, 20, golden::kSmallEta), kTolerance);
}

TEST(AgreementTest, SynchronousSdaOfThreeWorkersIsTheReferences) {
  RunOptions run;
  run.schedule = Schedule::kSynchronous;
  run.workers = 3;
  EXPECT_LT(ErrorOf(GoldenOptions(), 10, golden::kSdaSync3, run), kTolerance);
}

TEST(AgreementTest, SsuIsTheReferencesAndIsSdaWithOneOuterIteration) {
  LdaOptions options = GoldenOptions();
  options.outer_iterations = 1;
  EXPECT_LT(ErrorOf(options, 20, golden::kSsu), kTolerance);
}

TEST(AgreementTest, SviIsTheReferences) {
  const LdaOptions options = GoldenOptions();
  SviOptions svi;
  svi.total_documents = 80;
  RunOptions run;
  run.discount = SviDiscount(svi);
  const KeyedRows prior = LdaPrior(options);
  MemoryStore<KeyedRows> store(prior, {SviStart(options, prior), {}});
  MemorySource<Documents> source(Cut(GoldenDocuments(), 20));
  sda::Run(source, LdaSvi(options, svi), store, run);
  EXPECT_LT(LargestRelativeError(Matrix(store.Read().params, 60), golden::kSvi), kTolerance);
}

TEST(AgreementTest, BatchVbAndItsBoundPerPassAreTheReferences) {
  LdaOptions options = GoldenOptions();
  options.outer_iterations = 7;
  options.warm_gamma = true;
  std::vector<double> bounds;
  const LdaVb batch(options, [&](const LdaPass& pass) { bounds.push_back(pass.bound); });
  const KeyedRows lambda = batch(GoldenDocuments(), LdaPrior(options));
  EXPECT_LT(LargestRelativeError(Matrix(lambda, 60), golden::kBatch), kTolerance);
  EXPECT_LT(LargestRelativeError(bounds, golden::kBatchBounds), kTolerance);
}

TEST(AgreementTest, StoppingByToleranceIsTheReferences) {
  LdaOptions options = GoldenOptions();
  options.local_tolerance = 1e-3;
  options.local_updates = 100;
  options.outer_tolerance = 1e-3;
  options.outer_iterations = 50;
  options.warm_gamma = true;
  EXPECT_LT(ErrorOf(options, 80, golden::kBatchStopping), kTolerance);
}

TEST(AgreementTest, TheScoreIsTheReferencesByBothRules) {
  const LdaOptions options = GoldenOptions();
  const Documents corpus = GoldenDocuments();
  const KeyedRows lambda = Fit(Cut(corpus, 20), LdaVb(options), LdaPrior(options));
  EXPECT_NEAR(LogPredictive(lambda, SplitHeldOut(corpus), options).log_predictive,
              golden::kScoreHalfTypes, 1e-6);
  EXPECT_NEAR(
      LogPredictive(lambda, SplitHeldOut(corpus, SplitRule::kAlternate), options).log_predictive,
      golden::kScoreAlternate, 1e-6);
}

TEST(AgreementTest, TheHashIsTheReferences) {
  EXPECT_EQ(Key(1, 2, 3), golden::kKeys[0]);
  EXPECT_EQ(Key(0, 0, 0), golden::kKeys[1]);
  EXPECT_EQ(Key(~uint64_t{0}, 3, 1000000000000), golden::kKeys[2]);
}

TEST(AgreementTest, FloatIsCloseToDouble) {
  LdaOptions options = GoldenOptions();
  options.precision = Precision::kFloat;
  EXPECT_LT(ErrorOf(options, 20, golden::kSda), 2e-3);
}

}  // namespace
}  // namespace sda
