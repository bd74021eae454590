#include "sda/topic_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "sda/errors.h"
#include "sda/topics.h"
#include "tests/base/temporary_file.h"
#include "tests/topics/topic_test_util.h"

namespace sda {
namespace {

using ::testing::HasSubstr;

TopicOptions Auto(std::vector<int> list = {2, 4, 16}) {
  TopicOptions options;
  options.topics = kAutoTopics;
  options.try_topics = std::move(list);
  return options;
}

std::vector<int> NumbersOf(const TopicSearch& search) {
  std::vector<int> numbers;
  for (const TopicCandidate& candidate : search.candidates) numbers.push_back(candidate.topics);
  return numbers;
}

// A session of documents with four topics, and the lines it logged.
struct Learnt {
  explicit Learnt(const TopicOptions& options, int threads = 1)
      : session(options, WordNames(200),
                Context(threads, {}, [this](const std::string& line) { log += line + "\n"; })) {
    session.Update(MakeDocuments(600, 200, 1));
  }
  std::string log;
  TopicSession session;
};

TEST(TopicSearch, FindsTheNumberOfTopicsThatTheDocumentsHave) {
  const TopicSearch search =
      ChooseTopics(Auto({2, 4, 30}), 200, MakeDocuments(2000, 200, 1), Context(1));
  EXPECT_EQ(search.topics, 4);
  EXPECT_EQ(NumbersOf(search), (std::vector<int>{2, 4, 30}));
  EXPECT_EQ(search.documents + search.learnt_documents, 2000);
  EXPECT_EQ(search.candidates[1].below_best, 0);
  for (const size_t other : {0, 2}) {
    const TopicCandidate& candidate = search.candidates[other];
    EXPECT_GT(candidate.below_best, kTopicTolerance);
    EXPECT_GT(candidate.below_best, candidate.below_best_error);
    EXPECT_LT(candidate.lower, candidate.score);
    EXPECT_GT(candidate.upper, candidate.score);
  }
}

TEST(TopicSearch, TriesOnlyWhatMayBeBetterUnlessThereIsAList) {
  TopicOptions options = Auto();
  options.try_topics.reset();
  const TopicSearch search = ChooseTopics(options, 200, MakeDocuments(400, 200, 1), Context(1));
  // Four topics: 200 are no better than 100, so that 400 are not tried.
  EXPECT_EQ(search.candidates.back().topics, 200);
  EXPECT_THAT(NumbersOf(search), ::testing::Contains(100));
}

TEST(TopicSearch, TheModelIsThatOfTheNumberChosen) {
  Learnt chosen(Auto());
  TopicOptions given;
  given.topics = chosen.session.options().topics;
  TopicSession same(given, WordNames(200), Context(1));
  same.Update(MakeDocuments(600, 200, 1));
  EXPECT_EQ(chosen.session.Snapshot().posterior.Serialize(), same.Snapshot().posterior.Serialize());
  EXPECT_EQ(chosen.session.options().alpha, same.options().alpha);
  // Those set aside were learnt from, too.
  const std::vector<double> tokens = chosen.session.TopicTokens();
  EXPECT_NEAR(std::accumulate(tokens.begin(), tokens.end(), 0.0), 600 * 30, 1e-6);
  EXPECT_THAT(chosen.log, HasSubstr("4 topics: -"));
  EXPECT_THAT(chosen.log, HasSubstr("topics are taken"));
}

TEST(TopicSearch, DoesNotDependOnThreads) {
  TopicSearch one = *Learnt(Auto(), 1).session.search();
  TopicSearch three = *Learnt(Auto(), 3).session.search();
  for (TopicSearch* search : {&one, &three}) {
    search->seconds = 0;
    for (TopicCandidate& candidate : search->candidates) candidate.seconds = 0;
  }
  EXPECT_EQ(one, three);
}

TEST(TopicSearch, OfASourceLearnsFromTheFirstMinibatchOnce) {
  TopicSession session(Auto(), WordNames(200), Context(1));
  MemorySource<Documents> source(MakeMinibatches(3, 100, 200));
  EXPECT_EQ(session.next_minibatch(), 0);
  const Summary summary = session.Run(source);
  EXPECT_EQ(summary.counts.items, 300);
  EXPECT_EQ(summary.minibatches, 3);
  EXPECT_GE(summary.seconds, session.search()->seconds);
}

TEST(TopicSearch, ThereIsNoModelBeforeTheFirstDocument) {
  TopicSession session(Auto(), WordNames(200), Context(1));
  EXPECT_EQ(session.options().topics, kAutoTopics);
  EXPECT_FALSE(session.search());
  EXPECT_THROW(session.Snapshot(), UsageError);
  EXPECT_THROW(session.spec(), UsageError);
  MemorySource<Documents> none(std::vector<Documents>{});
  EXPECT_EQ(session.Run(none).minibatches, 0);
}

TEST(TopicSearch, IsKeptInTheModel) {
  Learnt chosen(Auto());
  const TemporaryFile file("");
  chosen.session.Save(file.path());
  const TopicModel model = LoadTopicModel(file.path());
  EXPECT_EQ(model.search, chosen.session.search());
  EXPECT_EQ(model.options.topics, model.search->topics);
  EXPECT_EQ(TopicSession(model).search(), model.search);
}

TEST(TopicSearch, ResumesFromACheckpointWithoutAnother) {
  Learnt whole(Auto());
  const std::string notes = whole.session.Notes();
  const TemporaryFile file("");
  const PosteriorCopy posterior = whole.session.CopyOfPosterior();
  const std::string folder = file.path() + ".d";
  {
    CheckpointFolder checkpoints(folder);
    Progress progress;
    progress.before = whole.session.summary().counts;
    progress.next = 1;
    posterior.write(checkpoints, progress, "{}");
  }
  std::vector<std::string> damage;
  CheckpointFolder checkpoints(folder);
  TopicSession resumed(Auto(), WordNames(200), Context(1));
  resumed.Resume(*checkpoints.LoadLast(&damage), whole.session.summary(), notes);
  EXPECT_EQ(resumed.search(), whole.session.search());
  const Documents more = MakeDocuments(100, 200, 5);
  whole.session.Update(more);
  MemorySource<Documents> source({MakeDocuments(600, 200, 1), more});
  resumed.Run(source);  // the first minibatch is in the posterior
  EXPECT_EQ(resumed.Snapshot().posterior.Serialize(),
            whole.session.Snapshot().posterior.Serialize());
  EXPECT_EQ(resumed.Snapshot().coherence->npmi, whole.session.Snapshot().coherence->npmi);
  std::filesystem::remove_all(folder);
}

TEST(TopicSearch, OfTooFewDocumentsTakesTheSmallest) {
  const TopicSearch search = ChooseTopics(Auto(), 200, MakeDocuments(5, 200, 1), Context(1));
  EXPECT_EQ(search.topics, 2);
  EXPECT_TRUE(search.candidates.empty());
}

TEST(TopicSearch, AStopEndsItWithNothingLearnt) {
  std::stop_source stop;
  Context context(1, stop.get_token());
  auto ask = [&](int, int, int) { stop.request_stop(); };
  EXPECT_THROW(ChooseTopics(Auto(), 200, MakeDocuments(500, 200, 1), context, ask), StoppedAtStart);
}

TEST(TopicSearch, OptionsThatDoNotGoWithItAreRefused) {
  TopicOptions options = Auto();
  options.algorithm = "ssu";
  EXPECT_THROW(options.Validate(), UsageError);
  options = Auto();
  options.alpha = {0.1, 0.2};
  EXPECT_THROW(options.Validate(), UsageError);
  EXPECT_THROW(Auto({4, 4}).Validate(), UsageError);
  EXPECT_THROW(Auto({0, 4}).Validate(), UsageError);
  EXPECT_THROW(Auto({}).Validate(), UsageError);
  options = Auto();
  options.topics = 10;
  EXPECT_THROW(options.Validate(), UsageError);
}

TEST(TopicSearch, OptionsAreAutoInJsonToo) {
  const std::string json = Auto().ToJson();
  EXPECT_THAT(json, HasSubstr("\"topics\":\"auto\""));
  EXPECT_EQ(TopicOptions::FromJson(json).topics, kAutoTopics);
  EXPECT_EQ(TopicOptions::FromJson(json).try_topics, Auto().try_topics);
}

TEST(StandardError, OfDocumentsOfOneLengthIsThatOfTheirMean) {
  // Means per token of -1, -2, -3: deviation 1, error 1 / sqrt(3).
  EXPECT_NEAR(StandardError({{-10, 10}, {-20, 10}, {-30, 10}}), 1 / std::sqrt(3.0), 1e-12);
  EXPECT_EQ(StandardError({{-10, 10}, {-20, 20}, {-30, 30}}), 0);  // one score for every token
  EXPECT_EQ(StandardError({{-10, 10}}), 0);
}

TEST(TopicSearch, ForgedJsonIsRefused) {
  EXPECT_THROW(TopicSearch::FromJson("{}"), InputError);
  EXPECT_THROW(TopicSearch::FromJson("[]"), InputError);
  TopicSearch search{.topics = 0};
  EXPECT_THROW(TopicSearch::FromJson(search.ToJson()), InputError);
}

}  // namespace
}  // namespace sda
