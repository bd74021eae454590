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

  double Score(LdaOptions options) {
    options.topics = 20;
    options.vocabulary = corpus_.vocabulary;
    options.threads = 2;
    const KeyedRows posterior = Fit(corpus_.minibatches, LdaVb(options), LdaPrior(options));
    return LogPredictive(posterior, SplitHeldOut(corpus_.held_out), options).log_predictive;
  }

  bench::Corpus corpus_;
};

TEST_P(CorporaTest, FloatScoresWithinTwoThousandthsOfDouble) {
  LdaOptions options;
  const double single = Score(options);
  options.precision = Precision::kDouble;
  EXPECT_NEAR(single, Score(options), 0.002);
}

TEST_P(CorporaTest, TopicsScoreBetterThanOne) {
  LdaOptions options;
  const double many = Score(options);
  KeyedRows counts(std::vector<double>{0.01});
  for (const Documents& minibatch : corpus_.minibatches) {
    for (size_t i = 0; i < minibatch.words.size(); ++i) {
      counts.Add(minibatch.words[i], std::vector<double>{double(minibatch.counts[i])});
    }
  }
  options.topics = 1;
  options.vocabulary = corpus_.vocabulary;
  EXPECT_GT(many,
            LogPredictive(counts, SplitHeldOut(corpus_.held_out), options).log_predictive + 0.05);
}

INSTANTIATE_TEST_SUITE_P(SharedData, CorporaTest, testing::Values("reuters395", "ap"),
                         [](const auto& corpus) { return std::string(corpus.param); });

}  // namespace
}  // namespace sda
