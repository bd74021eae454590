// Topics over time: sums that a session keeps in its posterior.

#include "sda/over_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sda/errors.h"
#include "sda/topics.h"
#include "sda/topics_over_time.h"
#include "tests/base/temporary_file.h"
#include "tests/topics/topic_test_util.h"

namespace sda {
namespace {

constexpr uint64_t kWords = 60;
constexpr int64_t kDay = 86'400'000;
constexpr int64_t kAt2000 = 10957 * kDay;

// Minibatch i has documents of the days 10 i to 10 i + 14; of every ninth document no time is
// known.
std::vector<Documents> Timed(size_t minibatches, size_t documents) {
  std::vector<Documents> made = MakeMinibatches(minibatches, documents, kWords);
  for (size_t i = 0; i < made.size(); ++i) {
    for (size_t d = 0; d < made[i].size(); ++d) {
      const auto day = static_cast<int64_t>(10 * i + (7 * d) % 15);
      made[i].times.push_back(d % 9 == 8 ? kNoTime : kAt2000 + day * kDay);
    }
  }
  return made;
}

TopicModel Learn(const std::vector<Documents>& minibatches, TopicOptions options, int threads = 1) {
  TopicSession session(options, WordNames(kWords), Context(threads));
  for (const Documents& documents : minibatches) session.Update(documents);
  return session.Snapshot();
}

TopicOptions FourTopics() { return {.topics = 4}; }

const OverTime& SumsOf(const TopicModel& model) {
  if (model.posterior.over_time() == nullptr) throw std::logic_error("no sums");
  return *model.posterior.over_time();
}

std::string WithoutSums(const TopicModel& model) {
  KeyedRows posterior = model.posterior;
  posterior.ClearOverTime();
  return posterior.Serialize();
}

TEST(TopicsOverTimeTest, AddUpToTheTokensWhoeverLearns) {
  const auto minibatches = Timed(4, 90);
  uint64_t tokens = 0;
  for (const Documents& documents : minibatches) tokens += Tokens(documents);
  for (const TopicOptions& options : LearnersOf(4)) {
    const TopicModel model = Learn(minibatches, options);
    const OverTime& sums = SumsOf(model);
    EXPECT_EQ(sums.documents() + sums.undated_documents(), 360);
    EXPECT_EQ(sums.undated_documents(), 40);
    EXPECT_EQ(sums.tokens() + sums.undated_tokens(), tokens);
    EXPECT_EQ(sums.Buckets().size(), 45);
    EXPECT_GT(sums.late_documents(), 0);
    for (const auto& bucket : sums.Buckets()) {
      double draws = 0;
      double of_words = 0;
      for (size_t k = 0; k < 4; ++k) draws += bucket.sums->draws[k];
      for (const auto& word : bucket.sums->words) of_words += word.draws;
      EXPECT_EQ(draws, static_cast<double>(OverTime::kDraws * bucket.sums->tokens));
      EXPECT_EQ(of_words, draws);
    }
  }
}

TEST(TopicsOverTimeTest, TheTopicsOfABucketAreThoseOfItsDocuments) {
  // Day d has documents of the range of words d alone.
  std::vector<Documents> minibatches = MakeMinibatches(3, 400, kWords);
  for (Documents& documents : minibatches) {
    for (size_t d = 0; d < documents.size(); ++d) {
      std::vector<uint64_t> counts(4, 0);
      for (uint64_t e = documents.offsets[d]; e < documents.offsets[d + 1]; ++e) {
        counts[documents.words[e] / (kWords / 4)] += documents.counts[e];
      }
      const auto range = std::max_element(counts.begin(), counts.end()) - counts.begin();
      documents.times.push_back(kAt2000 + range * kDay);
    }
  }
  const TopicModel model = Learn(minibatches, FourTopics());
  for (const auto& bucket : SumsOf(model).Buckets()) {
    const auto& sums = *bucket.sums;
    const size_t largest =
        std::max_element(sums.draws.begin(), sums.draws.end()) - sums.draws.begin();
    EXPECT_GT(sums.ShareOf(largest).mean, 0.7);
    const uint64_t range = (bucket.begin - kAt2000) / kDay;
    for (const auto& word : sums.TopWords(largest, 5)) {
      EXPECT_EQ(word.word / (kWords / 4), range);
    }
  }
}

TEST(TopicsOverTimeTest, ChangeNothingElse) {
  const auto minibatches = Timed(3, 80);
  auto without = minibatches;
  for (Documents& documents : without) documents.times.clear();
  TopicOptions off = FourTopics();
  off.bucket = "off";
  const TopicModel timed = Learn(minibatches, FourTopics());
  const TopicModel untimed = Learn(without, FourTopics());
  EXPECT_EQ(untimed.posterior.over_time(), nullptr);
  EXPECT_EQ(WithoutSums(timed), untimed.posterior.Serialize());
  EXPECT_EQ(Learn(minibatches, off).posterior.Serialize(), untimed.posterior.Serialize());
}

TEST(TopicsOverTimeTest, AreTheSameForAnyNumberOfThreads) {
  const auto minibatches = Timed(2, 6000);  // enough for several groups of documents
  const TopicModel one = Learn(minibatches, FourTopics(), 1);
  const TopicModel four = Learn(minibatches, FourTopics(), 4);
  EXPECT_EQ(one.posterior.Serialize(), four.posterior.Serialize());
}

TEST(TopicsOverTimeTest, ForgettingDoesNotTouchThem) {
  const auto minibatches = Timed(6, 90);
  TopicOptions options = FourTopics();
  options.half_life = 50;
  options.minibatch = 20;
  const TopicModel model = Learn(minibatches, options);
  const OverTime& sums = SumsOf(model);
  EXPECT_EQ(sums.documents(), 480);
  double draws = 0;
  for (const double x : sums.Between(INT64_MIN, INT64_MAX).draws) draws += x;
  EXPECT_EQ(draws, static_cast<double>(sums.tokens() * OverTime::kDraws));
  double mass = 0;
  for (const double x : model.posterior.totals()) mass += x;
  EXPECT_LT(mass, 0.9 * static_cast<double>(model.tokens));  // it did forget
}

TEST(TopicsOverTimeTest, AModelThatWasSavedGoesOnWithThem) {
  const auto minibatches = Timed(4, 90);
  const TemporaryFile file("");
  TopicSession first(FourTopics(), WordNames(kWords), Context(1));
  first.Update(minibatches[0]);
  first.Update(minibatches[1]);
  first.Save(file.path());
  const TopicModel loaded = LoadTopicModel(file.path());
  EXPECT_EQ(SumsOf(loaded), SumsOf(first.Snapshot()));
  TopicSession second = TopicSession::Load(file.path(), Context(1));
  for (size_t i = 2; i < 4; ++i) {
    first.Update(minibatches[i]);
    second.Update(minibatches[i]);
  }
  const OverTime one = SumsOf(first.Snapshot());
  const OverTime other = SumsOf(second.Snapshot());
  EXPECT_EQ(other.documents(), one.documents());
  EXPECT_EQ(other.tokens(), one.tokens());
  EXPECT_EQ(other.undated_tokens(), one.undated_tokens());
  EXPECT_EQ(other.late_documents(), one.late_documents());
  EXPECT_EQ(other.Buckets().size(), one.Buckets().size());

  // Longer buckets are sums of what there is; others are not.
  TopicModel longer = LoadTopicModel(file.path());
  longer.options.bucket = "month";
  EXPECT_STREQ(SumsOf(TopicSession(longer, Context(1)).Snapshot()).unit(), "month");
  longer.posterior = TopicSession(longer, Context(1)).Snapshot().posterior;
  longer.options.bucket = "week";
  EXPECT_THROW(TopicSession(longer, Context(1)), UsageError);
}

TEST(TopicsOverTimeTest, DocumentsFittedAgainKeepThem) {
  TopicOptions options = FourTopics();
  options.intervals = "sampled";
  TopicSession session(options, WordNames(kWords), Context(1));
  for (const Documents& documents : Timed(2, 90)) session.Update(documents);
  const OverTime before = SumsOf(session.Snapshot());
  ASSERT_TRUE(session.Refit());
  EXPECT_EQ(SumsOf(session.Snapshot()), before);
}

TEST(TopicsOverTimeTest, StayWithinTheirMemory) {
  TopicOptions options = FourTopics();
  options.over_time_memory = 1;
  auto minibatches = Timed(3, 2000);
  for (Documents& documents : minibatches) {
    for (size_t d = 0; d < documents.size(); ++d) {
      documents.times[d] = kAt2000 + static_cast<int64_t>(d * d) % 900'000 * kDay;
    }
  }
  const TopicModel model = Learn(minibatches, options);
  const OverTime& sums = SumsOf(model);
  EXPECT_LE(sums.Bytes(), uint64_t{1} << 20);
  EXPECT_STRNE(sums.unit(), "day");
  EXPECT_EQ(sums.documents(), 6000);
}

TEST(TopicsOverTimeTest, APeriodIsATable) {
  const TopicModel model = Learn(Timed(4, 90), FourTopics());
  OverTimeQuery query;
  query.range = TimeRangeBetween("2000-01", "2000-01-20");
  query.versus = TimeRangeBetween("2000-01-21", "");
  const TopicsOverTime table = MakeTopicsOverTime(model, query);
  ASSERT_EQ(table.periods.size(), 1);
  EXPECT_EQ(table.periods[0].begin, kAt2000);
  EXPECT_EQ(table.periods[0].end, kAt2000 + 20 * kDay);
  EXPECT_EQ(table.periods[0].documents + table.versus->documents, SumsOf(model).documents());
  double share = 0;
  double change = 0;
  for (const TopicOverTime& topic : table.periods[0].topics) {
    share += topic.share.mean;
    change += topic.change->mean;
    EXPECT_LE(topic.change->lower, topic.change->mean);
    EXPECT_GE(topic.change->upper, topic.change->mean);
  }
  EXPECT_NEAR(share, 1, 1e-12);
  EXPECT_NEAR(change, 0, 1e-12);
  query.by_bucket = true;
  EXPECT_EQ(MakeTopicsOverTime(model, query).periods.size(), 20);
  query.range = TimeRangeBetween("2020", "");
  EXPECT_THROW(MakeTopicsOverTime(model, query), UsageError);
  EXPECT_THROW(TimeRangeBetween("2020", "2019"), UsageError);
  EXPECT_THROW(TimeRangeBetween("01/02/2020", ""), UsageError);
  EXPECT_EQ(TimeRangeBetween("2000", "2000").end - TimeRangeBetween("2000", "2000").begin,
            366 * kDay);
  EXPECT_EQ(TimeRangeBetween("2000-02", "2000-02").end - TimeRangeBetween("2000-02", "").begin,
            29 * kDay);
}

}  // namespace
}  // namespace sda
