// Random numbers and rates depend on the minibatch's id, and seeds are independent of each other.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lda/vb/vb_start.h"
#include "lda_test_util.h"
#include "sda/lda_svi.h"

namespace sda {
namespace {

double NoiseOf(uint64_t seed, uint64_t minibatch, bool nothing_folded) {
  VbOptions options;
  options.seed = seed;
  return lda::StartNoise(options, 3, minibatch, nothing_folded).At(1, 7);
}

TEST(KeysTest, NoiseOfASeedIsNotThatOfTheSeedBeforeAMinibatchLater) {
  EXPECT_NE(NoiseOf(1, 2, false), NoiseOf(2, 1, false));
  EXPECT_NE(NoiseOf(1, 1, false), NoiseOf(2, 0, false));
  EXPECT_NE(NoiseOf(1, 1, false), NoiseOf(2, 0, true));
  EXPECT_NE(NoiseOf(1, 1, false), NoiseOf(1, 2, false));
}

TEST(KeysTest, AllMinibatchesThatBreakTheSymmetryHaveTheNoiseOfTheSeed) {
  EXPECT_EQ(NoiseOf(1, 0, true), NoiseOf(1, 5, true));
  EXPECT_EQ(NoiseOf(1, 0, true), lda::Noise(1, 3, 1).At(1, 7));
  EXPECT_NE(NoiseOf(1, 0, true), NoiseOf(2, 0, true));
}

class VbKeysTest : public OnBackend {};
INSTANTIATE_TEST_SUITE_P(Backends, VbKeysTest, testing::ValuesIn(Backends()), NameOfBackend);

TEST_P(VbKeysTest, ASeedsStartIsNotThatOfTheSeedBeforeAMinibatchLater) {
  const LdaSpec spec = GoldenSpec();
  KeyedRows prior = LdaPrior(spec);
  prior.Add(3, std::vector<double>{1, 2, 3, 4, 5});  // something was learnt
  const auto change = [&](uint64_t seed, uint64_t key) {
    VbOptions options = GoldenOptions();
    options.start = LdaStart::kMixed;
    options.outer_iterations = 1;
    options.seed = seed;
    return LdaVb(spec, options, Context(1), {}, Backend())
        .Change(GoldenDocuments(), prior, key)
        .Serialize();
  };
  EXPECT_NE(change(1, 2), change(2, 1));
  EXPECT_NE(change(1, 1), change(1, 2));
  EXPECT_EQ(change(1, 1), change(1, 1));
}

// The rate of minibatch t is (tau0 + t + 1)^-kappa; what a step adds is that times D / |C| times
// its tokens.
TEST_P(VbKeysTest, TheRateOfSviDecreasesOverMinibatchesInMemory) {
  const LdaSpec spec = GoldenSpec();
  SviOptions options;
  options.total_documents = 80;
  options.tau0 = 1;
  options.local = GoldenLocal();
  const LdaSvi svi(spec, options, Context(1), Backend());
  const KeyedRows prior = LdaPrior(spec);
  std::vector<double> added;
  const FunctionPrimitive<Documents, KeyedRows> recorded(
      [&](const Documents& documents, const KeyedRows& before, uint64_t key) {
        const KeyedRows change = svi.Change(documents, before, key);
        double sum = 0;
        for (const double total : change.totals()) sum += total;
        added.push_back(sum / (80.0 / documents.size() * Tokens(documents)));
        KeyedRows posterior = before;
        posterior += change;
        return posterior;
      });
  MemoryStore<KeyedRows> store(prior, {SviStart(spec, options, prior), {}});
  MemorySource<Documents> source(Cut(GoldenDocuments(), 20));
  RunOptions run;
  run.discount = SviDiscount(options);
  sda::Run(source, recorded, store, run);
  ASSERT_EQ(added.size(), 4u);
  for (size_t t = 0; t < 4; ++t) EXPECT_NEAR(added[t], std::pow(t + 2.0, -0.5), 1e-9) << t;
}

}  // namespace
}  // namespace sda
