#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "report/report_words.h"
#include "report_test_util.h"
#include "sda/errors.h"
#include "sda/lda_topics.h"

namespace sda::report {
namespace {

TEST(ReportWordsTest, FrequenciesSumToOne) {
  const TopicModel model = RandomModel(5, 200, 1);
  const TopicWords topics(model);
  EXPECT_NEAR(std::accumulate(topics.frequencies.begin(), topics.frequencies.end(), 0.0), 1, 1e-9);
}

TEST(ReportWordsTest, ATopicWithoutATokenIsShown) {
  const ModelReport report = MakeReport(ModelOf({{5, 0}, {3, 0}}), {}, Context(1));
  EXPECT_EQ(report.topics.at(0).share.mean, 1);
  EXPECT_EQ(report.topics.at(1).share.mean, 0);
  EXPECT_EQ(report.topics.at(1).share.upper, 0);
}

TEST(ReportWordsTest, AnInterruptionEndsTheReport) {
  const Context context(2);
  context.Interrupt();
  EXPECT_THROW(MakeReport(RandomModel(5, 400, 2), {}, context), InterruptedError);
}

TEST(ReportWordsTest, FirstWordsOfEveryRelevanceAreThere) {
  const TopicModel model = RandomModel(5, 400, 2);
  const TopicWords topics(model);
  constexpr size_t kMost = 10;
  const auto words = RelevantWords(topics, kMost, Context(2));
  for (size_t k = 0; k < 5; ++k) {
    std::set<uint64_t> kept;
    for (const auto& word : words[k]) kept.insert(word.word);
    for (const double relevance : Relevances()) {
      std::vector<std::pair<double, uint64_t>> ranked;
      for (uint64_t word = 0; word < 400; ++word) {
        const double p = topics.posterior.At(word)[k] / topics.sums[k];
        if (topics.posterior.At(word)[k] <= kEta + 0.01) continue;
        ranked.emplace_back(-std::log(p) + (1 - relevance) * std::log(topics.frequencies[word]),
                            word);
      }
      std::sort(ranked.begin(), ranked.end());
      for (size_t i = 0; i < kMost; ++i) {
        EXPECT_TRUE(kept.contains(ranked[i].second)) << "topic " << k << " at " << relevance;
      }
    }
    EXPECT_LT(kept.size(), 100u);
  }
}

TEST(ReportWordsTest, ProbabilitiesAndIntervalsAreThoseOfTheTopics) {
  const TopicModel model = RandomModel(4, 100, 3);
  const auto words = RelevantWords(TopicWords(model), 5, Context(1));
  for (const TopicSummary& topic : SummarizeTopics(model.posterior, model.Spec(), 1)) {
    const Estimate& expected = topic.top_words[0].probability;
    const ReportedWord& first = words[topic.topic][0];
    EXPECT_EQ(first.word, topic.top_words[0].word);
    EXPECT_DOUBLE_EQ(first.probability.mean, expected.mean);
    EXPECT_DOUBLE_EQ(first.probability.lower, expected.lower);
    EXPECT_DOUBLE_EQ(first.probability.upper, expected.upper);
  }
}

TEST(ReportWordsTest, ATopicWithFewWordsShowsOthersToo) {
  const TopicModel model = ModelOf({{9, 0}, {0, 5}, {0, 3}, {0, 2}});
  EXPECT_EQ(RelevantWords(TopicWords(model), 3, Context(1))[0].front().word, 0u);
  EXPECT_GE(RelevantWords(TopicWords(model), 3, Context(1))[0].size(), 3u);
}

TEST(ReportWordsTest, AnEntryHasTheTopicsWithTheLargestPartOfTheWord) {
  const TopicModel model = ModelOf({{90, 10, 0}, {5, 50, 40}, {100, 100, 100}, {1, 0, 0}});
  const TopicWords topics(model);
  const auto entries = FindEntries(topics, {.vocabulary = 3, .word_topics = 2}, Context(1));
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].word, 2u);
  EXPECT_EQ(entries[0].topics.size(), 2u) << "three have a part, two are shown";
  for (const ReportedEntry& entry : entries) {
    double before = 1;
    for (const auto& [topic, probability] : entry.topics) {
      const double part = topics.shares[topic] * probability.mean / entry.frequency;
      EXPECT_GE(part, 0.05);
      EXPECT_LE(part, before);
      before = part;
      EXPECT_LT(probability.lower, probability.mean);
      EXPECT_GT(probability.upper, probability.mean);
    }
  }
}

TEST(ReportTest, OptionsAreCheckedByName) {
  const TopicModel model = RandomModel(2, 20, 1);
  try {
    MakeReport(model, {.words = 0});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "words is 0, must be at least 1");
  }
}

TEST(ReportTest, TheLargestTopicComesFirstAndItsIntervalHoldsTheShare) {
  const ModelReport report = MakeReport(RandomModel(6, 120, 5), {});
  double sum = 0, before = 1;
  for (const ReportedTopic& topic : report.topics) {
    EXPECT_LE(topic.share.mean, before);
    EXPECT_LT(topic.share.lower, topic.share.mean);
    EXPECT_GT(topic.share.upper, topic.share.mean);
    before = topic.share.mean;
    sum += topic.share.mean;
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(ReportTest, DoesNotDependOnThreads) {
  const TopicModel model = RandomModel(8, 300, 4);
  EXPECT_EQ(MakeReport(model, {}, Context(1)).ToJson(), MakeReport(model, {}, Context(3)).ToJson());
}

TEST(ReportTest, SaysWhatIsLeftOut) {
  const ModelReport report = MakeReport(RandomModel(3, 300, 4), {.words = 4, .vocabulary = 50});
  EXPECT_THAT(report.notes,
              testing::Contains(testing::HasSubstr("first 4 words at every relevance are here, of "
                                                   "300 in the model")));
  EXPECT_THAT(report.notes,
              testing::Contains("The 50 most frequent words can be looked up, of 300."));
}

TEST(ReportTest, SaysHowManyDocumentsCoherenceIsOf) {
  TopicModel model = RandomModel(3, 300, 4);
  model.coherence.emplace();
  model.coherence->npmi = {0.1, 0.2, 0.3};
  model.coherence->documents = 1234;
  const auto says =
      testing::Contains(testing::HasSubstr("measured in a sample of 1,234 documents"));
  EXPECT_THAT(MakeReport(model, {}).notes, says);
  model.coherence.reset();
  EXPECT_THAT(MakeReport(model, {}).notes, testing::Not(says));
}

}  // namespace
}  // namespace sda::report
