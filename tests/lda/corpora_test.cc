// Real corpora, where the shared data are found (DataFolder); skipped elsewhere.
#include <gtest/gtest.h>

#include <string>

#include "bench/docword.h"
#include "lda_test_util.h"
#include "sda/lda_score.h"

namespace sda {
namespace {

class CorporaTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (DataFolder().empty()) GTEST_SKIP() << "no shared data: set SDA_DATA to their folder";
    const std::string name = GetParam();
    const auto folder = DataFolder() / name;
    corpus_ = bench::ReadCorpus(folder / ("docword." + name + ".txt.gz"),
                                folder / ("test_ids." + name + ".txt"), 256);
  }

  LdaSpec Spec(int topics) const { return VbSpec(topics, corpus_.vocabulary); }

  double Score(const VbOptions& options) const {
    const LdaSpec spec = Spec(20);
    const KeyedRows posterior =
        Fit(corpus_.minibatches, LdaVb(spec, options, Context(2)), LdaPrior(spec));
    return LogPredictive(posterior, SplitHeldOut(corpus_.held_out), spec, Context(2))
        .log_predictive;
  }

  bench::Corpus corpus_;
};

TEST_P(CorporaTest, FloatScoresWithinTwoThousandthsOfDouble) {
  VbOptions options;
  const double single = Score(options);
  options.local.precision = Precision::kDouble;
  EXPECT_NEAR(single, Score(options), 0.002);
}

TEST_P(CorporaTest, TopicsScoreBetterThanOne) {
  const double many = Score({});
  KeyedRows counts(std::vector<double>{0.01});
  for (const Documents& minibatch : corpus_.minibatches) {
    for (size_t i = 0; i < minibatch.words.size(); ++i) {
      counts.Add(minibatch.words[i], std::vector<double>{double(minibatch.counts[i])});
    }
  }
  EXPECT_GT(many,
            LogPredictive(counts, SplitHeldOut(corpus_.held_out), Spec(1)).log_predictive + 0.05);
}

INSTANTIATE_TEST_SUITE_P(SharedData, CorporaTest, testing::Values("reuters395", "ap"),
                         [](const auto& corpus) { return std::string(corpus.param); });

}  // namespace
}  // namespace sda
