// Agreement with the reference, which golden.h was made from.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "base/hash.h"
#include "lda_test_util.h"
#include "sda/lda_score.h"
#include "sda/lda_svi.h"

namespace sda {
namespace {

constexpr double kTolerance = 1e-6;

class AgreementTest : public OnBackend {
 protected:
  static LdaVb Vb(const LdaSpec& spec, const VbOptions& options, LdaVb::OnPass on_pass = {}) {
    return LdaVb(spec, options, Context(1), std::move(on_pass), Backend());
  }
  static double ErrorOf(const LdaSpec& spec, const VbOptions& options, size_t minibatch,
                        const std::vector<double>& expected, const RunOptions& run = {}) {
    const KeyedRows lambda =
        Fit(Cut(GoldenDocuments(), minibatch), Vb(spec, options), LdaPrior(spec), run);
    return LargestRelativeError(Matrix(lambda, spec.vocabulary), expected);
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, AgreementTest, testing::ValuesIn(Backends()), NameOfBackend);

TEST_P(AgreementTest, SerialSdaIsTheReferences) {
  EXPECT_LT(ErrorOf(GoldenSpec(), GoldenOptions(), 20, golden::kSda), kTolerance);
}

TEST_P(AgreementTest, SerialSdaWithWarmGammaIsTheReferences) {
  VbOptions options = GoldenOptions();
  options.warm_gamma = true;
  EXPECT_LT(ErrorOf(GoldenSpec(), options, 20, golden::kSdaWarm), kTolerance);
}

TEST_P(AgreementTest, AsymmetricAlphaIsTheReferences) {
  LdaSpec spec = GoldenSpec();
  spec.alpha = {0.1, 0.2, 0.3, 0.4, 0.5};
  EXPECT_LT(ErrorOf(spec, GoldenOptions(), 20, golden::kSdaAsymmetric), kTolerance);
}

TEST_P(AgreementTest, SmallAlphaAndEtaAreTheReferences) {
  LdaSpec spec = GoldenSpec();
  spec.alpha = {0.01};
  spec.eta = 0.001;
  EXPECT_LT(ErrorOf(spec, GoldenOptions(), 20, golden::kSmallEta), kTolerance);
}

TEST_P(AgreementTest, SynchronousSdaOfThreeWorkersIsTheReferences) {
  RunOptions run;
  run.schedule = Schedule::kSynchronous;
  run.workers = 3;
  EXPECT_LT(ErrorOf(GoldenSpec(), GoldenOptions(), 10, golden::kSdaSync3, run), kTolerance);
}

TEST_P(AgreementTest, SsuIsTheReferencesAndIsSdaWithOneOuterIteration) {
  VbOptions options = GoldenOptions();
  options.outer_iterations = 1;
  EXPECT_LT(ErrorOf(GoldenSpec(), options, 20, golden::kSsu), kTolerance);
}

TEST_P(AgreementTest, SviIsTheReferences) {
  const LdaSpec spec = GoldenSpec();
  SviOptions svi;
  svi.total_documents = 80;
  svi.local = GoldenLocal();
  RunOptions run;
  run.discount = SviDiscount(svi);
  const KeyedRows prior = LdaPrior(spec);
  MemoryStore<KeyedRows> store(prior, {SviStart(spec, svi, prior), {}});
  MemorySource<Documents> source(Cut(GoldenDocuments(), 20));
  sda::Run(source, LdaSvi(spec, svi, Context(1), Backend()), store, run);
  EXPECT_LT(LargestRelativeError(Matrix(store.Read().params, 60), golden::kSvi), kTolerance);
}

TEST_P(AgreementTest, BatchVbAndItsBoundPerPassAreTheReferences) {
  VbOptions options = GoldenOptions();
  options.outer_iterations = 7;
  options.warm_gamma = true;
  std::vector<double> bounds;
  const LdaVb batch =
      Vb(GoldenSpec(), options, [&](const LdaPass& pass) { bounds.push_back(pass.bound); });
  const KeyedRows lambda = batch(GoldenDocuments(), LdaPrior(GoldenSpec()), 0);
  EXPECT_LT(LargestRelativeError(Matrix(lambda, 60), golden::kBatch), kTolerance);
  EXPECT_LT(LargestRelativeError(bounds, golden::kBatchBounds), kTolerance);
}

TEST_P(AgreementTest, StoppingByToleranceIsTheReferences) {
  VbOptions options = GoldenOptions();
  options.local.tolerance = 1e-3;
  options.local.updates = 100;
  options.outer_tolerance = 1e-3;
  options.outer_iterations = 50;
  options.warm_gamma = true;
  EXPECT_LT(ErrorOf(GoldenSpec(), options, 80, golden::kBatchStopping), kTolerance);
}

TEST_P(AgreementTest, TheScoreIsTheReferencesByBothRules) {
  const LdaSpec spec = GoldenSpec();
  const Documents corpus = GoldenDocuments();
  const KeyedRows lambda = Fit(Cut(corpus, 20), Vb(spec, GoldenOptions()), LdaPrior(spec));
  const auto score = [&](SplitRule rule) {
    return LogPredictive(lambda, SplitHeldOut(corpus, rule), spec, Context(1), 1e-4, 200, Backend())
        .log_predictive;
  };
  EXPECT_NEAR(score(SplitRule::kHalfTypes), golden::kScoreHalfTypes, 1e-6);
  EXPECT_NEAR(score(SplitRule::kAlternate), golden::kScoreAlternate, 1e-6);
}

TEST(HashTest, TheHashIsTheReferences) {
  EXPECT_EQ(Key(1, 2, 3), golden::kKeys[0]);
  EXPECT_EQ(Key(0, 0, 0), golden::kKeys[1]);
  EXPECT_EQ(Key(~uint64_t{0}, 3, 1000000000000), golden::kKeys[2]);
}

TEST_P(AgreementTest, FloatIsCloseToDouble) {
  VbOptions options = GoldenOptions();
  options.local.precision = Precision::kFloat;
  EXPECT_LT(ErrorOf(GoldenSpec(), options, 20, golden::kSda), 2e-3);
}

}  // namespace
}  // namespace sda
