#include "lda/gibbs/count_variances.h"

#include <gtest/gtest.h>

#include <vector>

#include "sda/keyed_rows.h"
#include "sda/lda_gibbs.h"

namespace sda {
namespace {

TEST(CountVariancesTest, AreThoseOfTheCountsWhateverThePriorAndTheScale) {
  lda::CountVariances variances(1, 2);
  const float unit[] = {0.125F, 8.0F};
  const float inverse[] = {8.0F, 0.125F};
  // Counts of two topics in four sweeps, above a prior of 0.3 and 1000.
  const float counts[4][2] = {{5, 0}, {7, 0}, {5, 0}, {3, 0}};
  for (const auto& sweep : counts) {
    EXPECT_EQ(variances.known(), &sweep > &counts[1]);
    const float weights[] = {unit[0] * (0.3F + sweep[0]), unit[1] * (1000 + sweep[1])};
    variances.BeginSweep();
    variances.Add(0, weights, inverse);
  }
  double row[2];
  variances.Variances(0, 2, row);
  EXPECT_DOUBLE_EQ(row[0], 2 * 8.0 / 3);  // the variance of a draw, and of their mean
  EXPECT_EQ(row[1], 0);
}

// The topics are known to be alike and theta to be even, so every token's topic is the toss of a
// coin: n tokens have the variance n / 4.
TEST(CountVariancesTest, OfIndependentTokensAreThoseOfTossedCoins) {
  const LdaSpec spec{.topics = 2, .vocabulary = 3, .alpha = {1e7, 1e7}, .eta = 1};
  KeyedRows prior({1, 1});
  for (uint64_t word = 0; word < 3; ++word) prior.Set(word, std::vector<double>{1e7, 1e7});
  Documents documents;
  for (int d = 0; d < 40; ++d) {
    documents.words.insert(documents.words.end(), {0, 2});
    documents.counts.insert(documents.counts.end(), {1, 5});
    documents.offsets.push_back(documents.words.size());
  }
  GibbsOptions options;
  options.sweeps = options.averaged = 3000;
  const KeyedRows change = LdaGibbs(spec, options, Context(1)).Change(documents, prior, 0);
  const double of_mean = 1 + 30 / 3000.0;
  ASSERT_TRUE(change.variances().known());
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(change.variances().At(0)[k], of_mean * 40 / 4, 1.5);
    EXPECT_NEAR(change.variances().At(2)[k], of_mean * 200 / 4, 7);
  }
  EXPECT_TRUE(change.variances().At(1).empty());
  options.variances = false;
  const KeyedRows without = LdaGibbs(spec, options, Context(1)).Change(documents, prior, 0);
  EXPECT_FALSE(without.variances().known());
  for (size_t k = 0; k < 2; ++k) EXPECT_EQ(without.At(0)[k], change.At(0)[k]);
}

}  // namespace
}  // namespace sda
