#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sda/errors.h"
#include "sda/loop.h"
#include "sda/topics.h"
#include "tests/base/temporary_file.h"
#include "tests/topics/topic_test_util.h"

namespace sda {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kWords = 60;
constexpr int kTopics = 4;

std::string NameOf(const TopicOptions& options) {
  return options.algorithm + " " + options.primitive;
}

double Sum(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

TopicSession Learnt(const TopicOptions& options, const std::vector<Documents>& minibatches,
                    const Context& context = Context(1)) {
  TopicSession session(options, WordNames(kWords), context);
  for (const Documents& documents : minibatches) session.Update(documents);
  return session;
}

TEST(TopicSession, PushedAndPulledMinibatchesGiveTheSamePosteriorBitForBit) {
  const auto minibatches = MakeMinibatches(4, 30, kWords);
  for (const TopicOptions& options : LearnersOf(kTopics)) {
    TopicSession pulled(options, WordNames(kWords), Context(1));
    MemorySource<Documents> source(minibatches);
    const Summary of_run = pulled.Run(source);
    const TopicSession pushed = Learnt(options, minibatches);
    EXPECT_EQ(pushed.Snapshot().posterior.Serialize(), pulled.Snapshot().posterior.Serialize())
        << NameOf(options);
    EXPECT_EQ(of_run.minibatches, 4u);
    EXPECT_EQ(pushed.summary().minibatches, 4u);
    EXPECT_EQ(pushed.summary().counts, of_run.counts);
    EXPECT_EQ(of_run.counts, (Counts{.items = 120, .tokens = 3600}));
    EXPECT_EQ(pushed.next_minibatch(), 4u);
  }
}

TEST(TopicSession, TheResultDoesNotDependOnTheNumberOfThreads) {
  const auto minibatches = MakeMinibatches(3, 80, kWords);
  for (const TopicOptions& options : LearnersOf(kTopics)) {
    const std::string one = Learnt(options, minibatches).Snapshot().posterior.Serialize();
    for (const int threads : {2, 5}) {
      EXPECT_EQ(Learnt(options, minibatches, Context(threads)).Snapshot().posterior.Serialize(),
                one)
          << NameOf(options) << " with " << threads;
    }
  }
}

TEST(TopicSession, EveryMinibatchDrawsRandomNumbersOfItsOwn) {
  // The same documents twice, without a word about which minibatch they are: today's mistake was
  // that both drew the same numbers.
  TopicOptions options;
  options.topics = kTopics;
  const Documents documents = MakeDocuments(30, kWords, 1);
  TopicSession session(options, WordNames(kWords), Context(1));
  session.Update(documents);
  session.Update(MakeDocuments(30, kWords, 2));
  const std::string before = session.Snapshot().posterior.Serialize();
  TopicModel model = session.Snapshot();
  TopicModel later = model;
  ++later.minibatches;  // the next minibatch has another id, and nothing else differs
  TopicSession third(std::move(model), Context(1));
  TopicSession fourth(std::move(later), Context(1));
  third.Update(documents);
  fourth.Update(documents);
  EXPECT_NE(third.Snapshot().posterior.Serialize(), fourth.Snapshot().posterior.Serialize());
  EXPECT_NE(third.Snapshot().posterior.Serialize(), before);
}

TEST(TopicSession, InferAndScoreWorkWhileNothingRuns) {
  const Documents seen = MakeDocuments(200, kWords, 5);
  const Documents fresh = MakeDocuments(20, kWords, 6);
  for (const TopicOptions& options : LearnersOf(kTopics)) {
    TopicSession session(options, WordNames(kWords), Context(1));
    const double at_first = session.Score(fresh).log_predictive;
    EXPECT_NEAR(at_first, -std::log(kWords), 0.3) << NameOf(options);
    session.Update(seen);
    const LdaScore score = session.Score(fresh);
    EXPECT_GT(score.log_predictive, at_first) << NameOf(options);
    EXPECT_GT(score.test_tokens, 0u);
    const auto topics = session.Infer(fresh, 2);
    ASSERT_EQ(topics.size(), 20u);
    EXPECT_EQ(topics[3].number, 4u);
    ASSERT_EQ(topics[3].topics.size(), 2u);
    EXPECT_GE(topics[3].topics[0].proportion.mean, topics[3].topics[1].proportion.mean);
    EXPECT_EQ(session.Infer(fresh)[0].topics.size(), static_cast<size_t>(kTopics));
    EXPECT_EQ(topics[3].approximate(), session.options().primitive == "vb") << NameOf(options);
  }
}

TEST(TopicSession, WhatIsSavedIsLoadedToTheLastBit) {
  const TemporaryFile file("", ".safetensors");
  for (const TopicOptions& options : LearnersOf(kTopics)) {
    const TopicSession session = Learnt(options, MakeMinibatches(2, 30, kWords));
    session.Save(file.path());
    const TopicModel saved = session.Snapshot();
    const TopicModel loaded = LoadTopicModel(file.path());
    for (uint64_t word = 0; word < kWords; ++word) {
      EXPECT_TRUE(std::ranges::equal(loaded.posterior.At(word), saved.posterior.At(word)));
    }
    EXPECT_TRUE(std::ranges::equal(loaded.posterior.default_row(), saved.posterior.default_row()));
    EXPECT_EQ(loaded.vocabulary, WordNames(kWords));
    EXPECT_EQ(loaded.minibatches, 2u);
    EXPECT_EQ(loaded.documents, 60u);
    EXPECT_EQ(loaded.tokens, 1800u);
    EXPECT_TRUE(loaded.assumed.empty());
    EXPECT_EQ(loaded.Spec().Alpha(), saved.Spec().Alpha());
    EXPECT_EQ(loaded.options.eta, saved.options.eta);
    EXPECT_EQ(NameOf(loaded.options), NameOf(saved.options));
    const TopicSession again = TopicSession::Load(file.path(), Context(1));
    const Documents fresh = MakeDocuments(20, kWords, 6);
    // The totals are sums in another order.
    EXPECT_NEAR(again.Score(fresh).log_predictive, session.Score(fresh).log_predictive, 1e-12);
  }
}

TEST(TopicSession, AMinibatchThatFailsNamesItselfAndChangesNothing) {
  TopicOptions options;
  options.topics = kTopics;
  TopicSession session = Learnt(options, MakeMinibatches(2, 30, kWords));
  const std::string before = session.Snapshot().posterior.Serialize();
  Documents bad = MakeDocuments(3, kWords, 1);
  bad.words.back() = kWords + 7;
  EXPECT_THAT(MessageOf<RunError>([&] { session.Update(bad); }), HasSubstr("minibatch 2"));
  EXPECT_EQ(session.Snapshot().posterior.Serialize(), before);
  EXPECT_THROW(session.Update(Documents()), RunError);
  EXPECT_EQ(session.summary().minibatches, 2u);
}

TEST(TopicSession, LearnsOnAfterAMinibatchThatFailed) {
  TopicOptions options;
  options.topics = kTopics;
  TopicSession session = Learnt(options, MakeMinibatches(1, 30, kWords));
  Documents bad = MakeDocuments(3, kWords, 1);
  bad.words.back() = kWords + 7;
  EXPECT_THROW(session.Update(bad), RunError);
  EXPECT_EQ(session.Update(MakeDocuments(30, kWords, 2)).minibatches, 2u);
}

TEST(TopicSession, BadOptionsAreRefusedAtOnce) {
  TopicOptions options;
  options.topics = 0;
  EXPECT_THROW(TopicSession(options, WordNames(kWords)), UsageError);
}

// Continuing from a saved model.

TEST(ContinuedSession, TheCountsContinueAndEveryTokenIsCountedOnce) {
  for (const TopicOptions& options : LearnersOf(kTopics)) {
    TopicSession session(Learnt(options, MakeMinibatches(2, 30, kWords)).Snapshot(), Context(1));
    EXPECT_EQ(session.next_minibatch(), 2u);
    EXPECT_EQ(session.summary().minibatches, 2u);
    EXPECT_EQ(session.summary().counts.items, 60u);
    session.Update(MakeDocuments(40, kWords, 9));
    const TopicModel model = session.Snapshot();
    EXPECT_EQ(model.minibatches, 3u);
    EXPECT_EQ(model.documents, 100u);
    EXPECT_EQ(model.tokens, 3000u);
    EXPECT_EQ(session.summary().counts, (Counts{.items = 100, .tokens = 3000}));
    if (options.algorithm != "sda" || options.primitive == "ep") continue;  // do not count tokens
    double sum = 0;
    for (uint64_t word = 0; word < kWords; ++word) {
      const auto row = model.posterior.At(word);
      sum = std::accumulate(row.begin(), row.end(), sum);
    }
    EXPECT_NEAR(sum - *model.options.eta * kTopics * kWords, 3000, 1e-2) << NameOf(options);
    EXPECT_NEAR(Sum(session.TopicTokens()), 3000, 1e-2) << NameOf(options);
  }
}

TEST(ContinuedSession, IsTheSessionItWasSavedFrom) {
  const TemporaryFile file("", ".safetensors");
  const auto minibatches = MakeMinibatches(4, 30, kWords);
  const std::vector<Documents> first(minibatches.begin(), minibatches.begin() + 2);
  for (const TopicOptions& options : LearnersOf(kTopics)) {
    Learnt(options, first).Save(file.path());
    TopicSession rest = TopicSession::Load(file.path(), Context(1));
    rest.Update(minibatches[2]);
    rest.Update(minibatches[3]);
    const TopicModel whole = Learnt(options, minibatches).Snapshot();
    const TopicModel cut = rest.Snapshot();
    // Not the same bits: the totals of a model that was loaded are sums in another order.
    for (uint64_t word = 0; word < kWords; ++word) {
      for (int k = 0; k < kTopics; ++k) {
        const double expected = whole.posterior.At(word)[k];
        EXPECT_NEAR(cut.posterior.At(word)[k], expected, 1e-3 * (1 + std::abs(expected)))
            << NameOf(options);
      }
    }
  }
}

TEST(ContinuedSession, ForgettingDecaysTowardsEtaAndNotTowardsTheModel) {
  TopicOptions options;
  options.topics = kTopics;
  options.eta = 0.25;
  options.half_life = 10;
  // Words 0 to 29 in the model, 30 to 59 in what comes after it.
  TopicModel model = Learnt(options, {MakeDocuments(50, kWords / 2, 1)}).Snapshot();
  const KeyedRows before = model.posterior;
  TopicSession session(std::move(model), Context(1));
  EXPECT_EQ(session.spec().eta, 0.25);
  Documents others = MakeDocuments(30, kWords / 2, 2);
  for (uint32_t& word : others.words) word += kWords / 2;
  session.Update(others);  // three half-lives
  const KeyedRows after = session.Snapshot().posterior;
  for (uint64_t word = 0; word < kWords / 2; ++word) {
    for (int k = 0; k < kTopics; ++k) {
      EXPECT_NEAR(after.At(word)[k], 0.25 + (before.At(word)[k] - 0.25) / 8, 1e-9);
    }
  }
  EXPECT_NEAR(Sum(session.TopicTokens()), 1500.0 / 8 + 900, 1e-6);
}

TEST(ContinuedSession, HasNoNewFirstMinibatch) {
  TopicOptions options;
  options.topics = kTopics;
  const TopicModel model = Learnt(options, MakeMinibatches(1, 30, kWords)).Snapshot();
  int sweeps = 0;
  const auto count = [&](int, int) { return ++sweeps > 0; };
  TopicSession fresh(options, WordNames(kWords), Context(1), {.on_start_sweep = count});
  fresh.Update(MakeDocuments(30, kWords, 1));
  EXPECT_GT(sweeps, 0);
  sweeps = 0;
  TopicSession continued(model, Context(1), {.on_start_sweep = count});
  continued.Update(MakeDocuments(30, kWords, 1));
  EXPECT_EQ(sweeps, 0);
}

TEST(ContinuedSession, FindsTheTopicsThatItHad) {
  // Topic k of the model is topic k later: their words stay theirs.
  TopicOptions options;
  options.topics = kTopics;
  const TopicModel model = Learnt(options, {MakeDocuments(300, kWords, 1)}).Snapshot();
  TopicSession session(model, Context(1));
  session.Update(MakeDocuments(300, kWords, 2));
  const TopicModel later = session.Snapshot();
  for (uint64_t word = 0; word < kWords; ++word) {
    const auto a = model.posterior.At(word);
    const auto b = later.posterior.At(word);
    EXPECT_EQ(std::ranges::max_element(a) - a.begin(), std::ranges::max_element(b) - b.begin())
        << word;
  }
}

TopicModel ModelToContinue() {
  TopicOptions options;
  options.topics = kTopics;
  options.stop_words = "none";
  options.min_word_length = 2;
  options.text_field = "body";
  options.seed = 5;
  return Learnt(options, MakeMinibatches(1, 30, kWords)).Snapshot();
}

TEST(ContinueOptions, WhatIsPartOfTheModelIsRefusedByName) {
  const TopicModel model = ModelToContinue();
  for (const auto& [given, flag] : std::vector<std::pair<std::string, std::string>>{
           {R"({"topics":5})", "--topics is 5"},
           {R"({"alpha":[0.9]})", "--alpha is [0.9]"},
           {R"({"alpha":[0.5,0.5,0.5,0.6]})", "--alpha is"},
           {R"({"eta":0.9})", "--eta is 0.9"},
           {R"({"stop_words":"english"})", "--stop-words is \"english\""},
           {R"({"min_word_length":3})", "--min-word-length is 3"},
           {R"({"text_field":"text"})", "--text-field is \"text\""}}) {
    EXPECT_THAT(MessageOf<UsageError>([&] { ContinueOptions(model, given); }), HasSubstr(flag))
        << given;
  }
}

TEST(ContinueOptions, WhatIsAsInTheModelIsFineAndTheRestIsTheRunsOwn) {
  const TopicModel model = ModelToContinue();
  const TopicOptions same = ContinueOptions(
      model, R"({"topics":4,"alpha":[0.5],"eta":0.15,"stop_words":"none","min_word_length":2,)"
             R"("text_field":"body"})");
  EXPECT_EQ(same.topics, kTopics);
  EXPECT_EQ(same.Settled().Spec(kWords).Alpha(), model.Spec().Alpha());
  EXPECT_NO_THROW(ContinueOptions(model, R"({"alpha":[0.5,0.5,0.5,0.5]})"));
  const TopicOptions none = ContinueOptions(model, "{}");
  EXPECT_EQ(none.stop_words, "none");
  EXPECT_EQ(none.text_field, "body");
  EXPECT_EQ(none.seed, 5u);
  EXPECT_EQ(none.primitive, "gibbs");
  const TopicOptions other =
      ContinueOptions(model, R"({"primitive":"vb","half_life":500,"minibatch":10,"seed":6})");
  EXPECT_EQ(other.primitive, "vb");
  EXPECT_EQ(other.half_life, 500);
  EXPECT_EQ(other.minibatch, 10);
  EXPECT_EQ(other.seed, 6u);
  EXPECT_EQ(other.eta, model.options.eta) << "the model's, not the default of VB";
  EXPECT_NO_THROW(other.Validate());
}

}  // namespace
}  // namespace sda
