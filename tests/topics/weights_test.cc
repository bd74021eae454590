#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "sda/documents.h"
#include "sda/errors.h"
#include "sda/topics.h"
#include "tests/base/temporary_file.h"
#include "tests/topics/topic_test_util.h"

// Documents with weights that are no whole numbers, and what else is known of documents.

namespace sda {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kWords = 60;
constexpr int kTopics = 4;

std::string BytesOf(const TopicSession& session) {
  return session.Snapshot().posterior.Serialize();
}

Documents WithWeights(Documents documents, double factor) {
  for (const uint32_t count : documents.counts) {
    documents.weights.push_back(static_cast<float>(factor * count));
  }
  return documents;
}

TEST(Weights, WholeOnesAreCounts) {
  TopicOptions options;
  options.topics = kTopics;
  options.primitive = "vb";
  const Documents counts = MakeDocuments(50, kWords, 1);
  TopicSession a(options, WordNames(kWords), Context(1));
  TopicSession b(options, WordNames(kWords), Context(1));
  a.Update(counts);
  b.Update(WithWeights(counts, 1));
  EXPECT_EQ(BytesOf(a), BytesOf(b));
  EXPECT_EQ(a.summary().counts, b.summary().counts);
  const Documents fresh = MakeDocuments(20, kWords, 2);
  EXPECT_EQ(a.Score(fresh).log_predictive, a.Score(WithWeights(fresh, 1)).log_predictive);
  EXPECT_EQ(a.Proportions(fresh), a.Proportions(WithWeights(fresh, 1)));
}

TEST(Weights, TheSumOfTheParametersIsThePriorAndAllWeights) {
  for (const char* algorithm : {"sda", "ssu", "batch"}) {
    TopicOptions options;
    options.topics = kTopics;
    options.algorithm = algorithm;
    options.primitive = "vb";
    TopicSession session(options, WordNames(kWords), Context(1));
    session.Update(WithWeights(MakeDocuments(50, kWords, 1), 0.3));
    const auto tokens = session.TopicTokens();
    EXPECT_NEAR(std::accumulate(tokens.begin(), tokens.end(), 0.0), 0.3 * 1500, 0.01) << algorithm;
    EXPECT_EQ(session.summary().counts.tokens, 450u);
  }
}

TEST(Weights, ArePartOfWhatIsSlicedAndAppended) {
  const Documents counts = MakeDocuments(20, kWords, 1);
  const Documents weighted = WithWeights(counts, 0.5);
  Documents both = Slice(counts, 0, 10);
  AppendDocuments(Slice(weighted, 10, 20), &both);
  ASSERT_EQ(both.weights.size(), both.words.size());
  EXPECT_EQ(both.words, counts.words);
  EXPECT_EQ(both.offsets, counts.offsets);
  EXPECT_EQ(both.numbers, counts.numbers);
  EXPECT_EQ(both.weights[0], counts.counts[0]);
  EXPECT_EQ(both.weights.back(), 0.5f * counts.counts.back());
  EXPECT_EQ(Tokens(both), 10u * 30 + 10 * 15);
  EXPECT_EQ(Tokens(both, 19), 15u);
}

TEST(Weights, TheNumberOfTopicsIsChosenByThem) {
  TopicOptions options;
  options.topics = kAutoTopics;
  options.try_topics = {{2, 4}};
  options.primitive = "vb";
  const Documents counts = MakeDocuments(200, kWords, 1);
  TopicSession a(options, WordNames(kWords), Context(1));
  TopicSession b(options, WordNames(kWords), Context(1));
  TopicSession c(options, WordNames(kWords), Context(1));
  a.Update(counts);
  b.Update(WithWeights(counts, 1));
  c.Update(WithWeights(counts, 0.3));
  EXPECT_EQ(a.search()->candidates[0].score, b.search()->candidates[0].score);
  EXPECT_NE(a.search()->candidates[0].score, c.search()->candidates[0].score);
}

TEST(Documents, TextsAreAppendedLikeIdsAndTimes) {
  Documents a = MakeDocuments(1, kWords, 1);
  a.ids = {"a"};
  a.times = {1};
  a.texts = {"one"};
  Documents b = MakeDocuments(2, kWords, 2);
  b.ids = {"b", "c"};
  b.times = {2, 3};
  b.texts = {"two", "three"};
  AppendDocuments(b, &a);
  EXPECT_EQ(a.ids, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(a.times, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(a.texts, (std::vector<std::string>{"one", "two", "three"}));
  AppendDocuments(MakeDocuments(1, kWords, 3), &a);
  EXPECT_TRUE(a.texts.empty()) << "not known of all";
}

TEST(Weights, PrimitivesThatNeedCountsRefuseThemAndNameTheCure) {
  for (const char* primitive : {"gibbs", "ep"}) {
    TopicOptions options;
    options.topics = kTopics;
    options.primitive = primitive;
    TopicSession session(options, WordNames(kWords), Context(1));
    EXPECT_THAT(
        MessageOf<RunError>([&] { session.Update(WithWeights(MakeDocuments(9, kWords, 1), 0.5)); }),
        HasSubstr("use --primitive vb"));
  }
}

}  // namespace
}  // namespace sda
