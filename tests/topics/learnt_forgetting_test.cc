#include <gtest/gtest.h>

#include <filesystem>

#include "sda/errors.h"
#include "sda/topics.h"
#include "tests/topics/topic_test_util.h"

namespace sda {
namespace {

constexpr uint64_t kWords = 120;
constexpr size_t kDocuments = 100;  // of a minibatch

TopicOptions Learning(const std::string& primitive = "gibbs") {
  TopicOptions options;
  options.topics = 4;  // none to spare for new words
  options.primitive = primitive;
  options.half_life = kAutoHalfLife;
  options.minibatch = kDocuments;
  return options;
}

// Documents of one half of the words, and from the minibatch `change` on of the other half.
std::vector<Documents> MakeStream(size_t minibatches, size_t change) {
  std::vector<Documents> made = MakeMinibatches(minibatches, kDocuments, kWords / 2);
  for (size_t i = change; i < minibatches; ++i) {
    for (uint32_t& word : made[i].words) word += kWords / 2;
  }
  return made;
}

TopicSession Learnt(const TopicOptions& options, const std::vector<Documents>& stream,
                    const Context& context = Context(1)) {
  TopicSession session(options, WordNames(kWords), context);
  MemorySource<Documents> source(stream);
  session.Run(source);
  return session;
}

TEST(LearntForgettingOfTopics, WithoutDriftNearlyAllIsKept) {
  for (const char* primitive : {"gibbs", "vb", "ep"}) {
    const TopicSession session = Learnt(Learning(primitive), MakeStream(40, 40));
    const ForgettingHistory history = *session.forgetting();
    EXPECT_TRUE(history.change_points.empty()) << primitive;
    EXPECT_GT(history.points.back().effective, 0.7 * 40 * kDocuments) << primitive;
  }
}

TEST(LearntForgettingOfTopics, WhenAllWordsChangeTheShareFallsThere) {
  for (const char* primitive : {"gibbs", "vb", "ep"}) {
    const TopicSession session = Learnt(Learning(primitive), MakeStream(40, 30));
    const ForgettingHistory history = *session.forgetting();
    ASSERT_EQ(history.change_points.size(), 1u) << primitive;
    EXPECT_GE(history.change_points[0].items, 30 * kDocuments) << primitive;
    EXPECT_LE(history.change_points[0].items, 32 * kDocuments) << primitive;
    EXPECT_LT(history.change_points[0].kept, 0.5) << primitive;
    // The old words are nearly gone: 8 minibatches at least have come since.
    const KeyedRows posterior = session.Snapshot().posterior;
    double before = 0, all = 0;
    for (size_t r = 0; r < posterior.rows(); ++r) {
      double count = 0;
      for (size_t k = 0; k < posterior.width(); ++k) {
        count += posterior.row(r)[k] - posterior.default_row()[k];
      }
      all += count;
      if (posterior.key(r) < kWords / 2) before += count;
    }
    EXPECT_LT(before, 0.2 * all) << primitive;
  }
}

TEST(LearntForgettingOfTopics, TheResultDoesNotDependOnTheNumberOfThreads) {
  const auto stream = MakeStream(12, 8);
  for (const char* primitive : {"gibbs", "vb"}) {
    const TopicSession one = Learnt(Learning(primitive), stream);
    const TopicSession eight = Learnt(Learning(primitive), stream, Context(8));
    EXPECT_EQ(one.Snapshot().posterior.Serialize(), eight.Snapshot().posterior.Serialize());
    EXPECT_EQ(one.forgetting()->ToJson(), eight.forgetting()->ToJson());
  }
}

TEST(LearntForgettingOfTopics, EightWorkersAgreeWithOne) {
  const auto stream = MakeStream(97, 65);
  // A first minibatch alone, then rounds of eight; one worker is given each round as a whole.
  std::vector<Documents> rounds = {stream[0]};
  for (size_t i = 1; i < stream.size(); ++i) {
    if (i % 8 == 1) rounds.emplace_back();
    AppendDocuments(stream[i], &rounds.back());
  }
  TopicOptions options = Learning();
  options.minibatch = 8 * kDocuments;
  const auto one = *Learnt(options, rounds).forgetting();
  options.schedule = Schedule::kSynchronous;
  options.workers = 8;
  const auto eight = *Learnt(options, stream).forgetting();
  ASSERT_EQ(one.change_points.size(), 1u);
  ASSERT_EQ(eight.change_points.size(), 1u);
  EXPECT_NEAR(static_cast<double>(one.change_points[0].items),
              static_cast<double>(eight.change_points[0].items), 8 * kDocuments);
  EXPECT_NEAR(one.points.back().effective, eight.points.back().effective,
              0.25 * one.points.back().effective);
}

TEST(LearntForgettingOfTopics, ARunThatResumesGoesOnBitForBit) {
  const auto stream = MakeStream(12, 7);
  for (const char* primitive : {"gibbs", "vb"}) {
    const TopicOptions options = Learning(primitive);
    const TopicSession whole = Learnt(options, stream);
    for (const size_t cut : {1, 6, 8}) {
      const std::string folder = ::testing::TempDir() + "/learnt_forgetting_of_topics";
      std::filesystem::remove_all(folder);
      TopicSession first = Learnt(options, {stream.begin(), stream.begin() + cut});
      Progress progress;
      progress.before = first.summary().counts;
      std::string notes = first.Notes();
      {
        CheckpointFolder checkpoints(folder);
        first.CopyOfPosterior().write(checkpoints, progress, "");
      }
      CheckpointFolder checkpoints(folder);
      std::vector<std::string> damage;
      const auto checkpoint = checkpoints.LoadLast(&damage);
      ASSERT_TRUE(checkpoint);
      TopicSession second(options, WordNames(kWords), Context(1));
      second.Resume(*checkpoint, first.summary(), notes);
      MemorySource<Documents> source(stream);
      second.Run(source);
      EXPECT_EQ(second.Snapshot().posterior.Serialize(), whole.Snapshot().posterior.Serialize())
          << primitive << " " << cut;
      EXPECT_EQ(second.forgetting()->ToJson(), whole.forgetting()->ToJson());

      TopicOptions other = options;
      other.half_life = 0;
      TopicSession plain(other, WordNames(kWords), Context(1));
      EXPECT_THROW(plain.Resume(*checkpoint, first.summary(), notes), InputError);
      std::filesystem::remove_all(folder);
    }
  }
}

TEST(LearntForgettingOfTopics, AModelIsContinuedFromAllThatItKnows) {
  const auto stream = MakeStream(20, 10);
  TopicSession first = Learnt(Learning(), {stream.begin(), stream.begin() + 10});
  TopicSession second(first.Snapshot(), Context(1));
  EXPECT_EQ(second.Snapshot().posterior.Serialize(), first.Snapshot().posterior.Serialize());
  for (size_t i = 10; i < 20; ++i) second.Update(stream[i]);
  EXPECT_EQ(second.forgetting()->points.back().items, 20 * kDocuments);
  EXPECT_LT(second.forgetting()->points.back().effective, 10 * kDocuments);
}

TEST(LearntForgettingOfTopics, ItIsAnOptionAsTextAndNoNumber) {
  TopicOptions options = Learning();
  const std::string json = options.ToJson();
  EXPECT_NE(json.find("\"half_life\":\"auto\""), std::string::npos) << json;
  EXPECT_EQ(TopicOptions::FromJson(json).half_life, kAutoHalfLife);
  EXPECT_THROW(TopicOptions::FromJson("{\"half_life\": -1}"), InputError);
  options.Validate();
  options.intervals = "sampled";
  EXPECT_THROW(options.Validate(), UsageError);
  options = Learning("vb");
  options.algorithm = "svi";
  options.total_documents = 1000;
  EXPECT_THROW(options.Validate(), UsageError);
}

TEST(LearntForgettingOfTopics, OnlyARunThatLearnsItHasAHistory) {
  TopicOptions options = Learning();
  options.half_life = 0;
  EXPECT_FALSE(Learnt(options, MakeStream(2, 2)).forgetting());
}

}  // namespace
}  // namespace sda
