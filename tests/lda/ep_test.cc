// EP for LDA: agreement with the dense statement of the algorithm (ep_reference.py), exact cases.
#include "sda/lda_ep.h"

#include <gtest/gtest.h>

#include "ep_golden.h"
#include "lda_test_util.h"

namespace sda {
namespace {

constexpr double kTolerance = 1e-8;

// Of ep_reference.py's cases: the first 20 documents of the golden corpus.
LdaEpOptions CaseOptions(double eta) {
  LdaEpOptions options;
  options.topics = 5;
  options.vocabulary = 60;
  options.alpha = {0.2};
  options.eta = eta;
  options.tolerance = 0;
  options.sweeps = 6;
  options.start = EpStart::kNoise;
  return options;
}

Documents FirstDocuments() { return Slice(GoldenDocuments(), 0, 20, 0); }

void ExpectReference(const LdaEpOptions& options, size_t minibatch,
                     const std::vector<double>& expected, size_t number) {
  const LdaEp ep(options);
  const KeyedRows lambda = Fit(Cut(FirstDocuments(), minibatch), ep, LdaPrior(options.Model()));
  EXPECT_LT(LargestRelativeError(Matrix(lambda, 60), expected), kTolerance);
  EXPECT_EQ(ep.stats().skipped_updates, golden::kEpSkipped[number]);
}

TEST(EpTest, TypeLevelUpdatesAreTheReferences) {
  ExpectReference(CaseOptions(1), 10, golden::kEpType, 0);
}

TEST(EpTest, TokenLevelUpdatesAreTheReferences) {
  LdaEpOptions options = CaseOptions(1);
  options.updates = EpUpdates::kToken;
  ExpectReference(options, 10, golden::kEpToken, 1);
}

TEST(EpTest, DampedUpdatesAreTheReferences) {
  LdaEpOptions options = CaseOptions(1);
  options.damping = 0.3;
  ExpectReference(options, 10, golden::kEpDamped, 2);
}

TEST(EpTest, SkippedUpdatesAreTheReferences) {
  LdaEpOptions options = CaseOptions(0.01);
  ExpectReference(options, 10, golden::kEpSmallEta, 3);
  options.updates = EpUpdates::kToken;
  ExpectReference(options, 10, golden::kEpSmallEtaToken, 4);
  EXPECT_GT(golden::kEpSkipped[4], 0u);
}

TEST(EpTest, SkippedDampedUpdatesAreTheReferences) {
  LdaEpOptions options = CaseOptions(0.01);
  options.damping = 0.5;
  ExpectReference(options, 10, golden::kEpSmallEtaDamped, 5);
}

TEST(EpTest, MatchingOfLogsIsTheReferences) {
  LdaEpOptions options = CaseOptions(1);
  options.matching = EpMatching::kLog;
  options.sweeps = 3;
  ExpectReference(options, 20, golden::kEpLog, 6);
}

TEST(EpTest, DampedMatchingOfLogsOfTokensIsTheReferences) {
  LdaEpOptions options = CaseOptions(0.1);
  options.matching = EpMatching::kLog;
  options.updates = EpUpdates::kToken;
  options.damping = 0.5;
  options.sweeps = 3;
  ExpectReference(options, 20, golden::kEpLogDamped, 7);
}

}  // namespace
}  // namespace sda
