// A vocabulary that grows, from texts to models.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sda/errors.h"
#include "sda/topic_fit.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// The name of word number w.
std::string Name(uint64_t w) {
  std::string name;
  for (int i = 0; i < 4; ++i, w /= 20) name += static_cast<char>('a' + w % 20);
  return "x" + name;
}

// Lines of 20 words of one of four themes, each of which has `words` words of its own. Themes 2 and
// 3 begin after half of the documents.
std::string Texts(size_t documents, uint64_t words, uint64_t seed, bool all_from_start = false) {
  std::mt19937_64 random(seed);
  std::string text;
  for (size_t d = 0; d < documents; ++d) {
    const bool early = !all_from_start && d < documents / 2;
    const uint64_t theme = all_from_start && d < 8 ? d % 4 : random() % (early ? 2 : 4);
    for (uint64_t i = 0; i < 20; ++i) {
      const uint64_t word =
          all_from_start && d < 4 * words ? (d / 4 + i) % words : random() % words;
      text += Name(1000 * theme + word) + ' ';
    }
    text += "end\n";
  }
  return text;
}

TopicFitOptions FitOf(const std::string& input, const std::string& primitive, bool grows) {
  TopicFitOptions options;
  options.inputs = {input};
  options.topics.topics = 4;
  options.topics.primitive = primitive;
  options.topics.format = "text";
  options.topics.minibatch = 50;
  options.topics.first_minibatch = 100;
  options.topics.vocab_from = 100;
  options.topics.min_df = 3;
  options.topics.max_vocab = 1000;
  if (grows) options.topics.grow_vocab = true;
  return options;
}

struct Fitted {
  TopicReport report;
  TopicModel model;
};

Fitted Fit(const TopicFitOptions& options, const Context& context = Context(1)) {
  Fitted fitted;
  TopicFit::Watchers watchers;
  watchers.on_model = [&](TopicModel model) { fitted.model = std::move(model); };
  fitted.report = TopicFit(options, context, watchers).Run();
  return fitted;
}

double Mass(const KeyedRows& posterior) {
  return std::accumulate(posterior.totals().begin(), posterior.totals().end(), 0.0);
}

std::string BytesOf(const std::string& path) {
  std::stringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

class GrowingWords : public testing::TestWithParam<const char*> {
 protected:
  TopicFitOptions Growing(const std::string& input) const { return FitOf(input, GetParam(), true); }
};

TEST_P(GrowingWords, WithoutNewWordsTheModelIsThatOfAFixedVocabularyBitForBit) {
  const TemporaryFile texts(Texts(600, 25, 1, /*all_from_start=*/true));
  const Fitted fixed = Fit(FitOf(texts.path(), GetParam(), false));
  const Fitted grown = Fit(Growing(texts.path()));
  EXPECT_EQ(grown.model.vocabulary, fixed.model.vocabulary);
  EXPECT_EQ(fixed.model.vocabulary.size(), 100u);
  EXPECT_TRUE(grown.model.posterior.Serialize() == fixed.model.posterior.Serialize());
  EXPECT_EQ(grown.model.tokens, fixed.model.tokens);
  EXPECT_EQ(grown.model.coherence->npmi, fixed.model.coherence->npmi);
  ASSERT_TRUE(grown.model.words);
  // The word that is in every document was never one to choose.
  EXPECT_THAT(grown.model.words->frequent, testing::ElementsAre("end"));
  EXPECT_EQ(grown.report.counts.unknown_tokens, fixed.report.counts.unknown_tokens);
}

TEST_P(GrowingWords, NewWordsEnterAndEveryTokenIsInOneAccount) {
  const TemporaryFile texts(Texts(1000, 30, 2));
  for (const Schedule schedule :
       {Schedule::kSerial, Schedule::kSynchronous, Schedule::kAsynchronous}) {
    TopicFitOptions options = Growing(texts.path());
    options.topics.schedule = schedule;
    options.topics.workers = schedule == Schedule::kSerial ? 1 : 2;
    const Fitted fitted = Fit(options, Context(2));
    EXPECT_EQ(fitted.model.vocabulary.size(), 120u);
    EXPECT_THAT(fitted.model.vocabulary, Contains(Name(3029)));
    EXPECT_THAT(fitted.model.vocabulary, Not(Contains("end")));
    const WordTokens& tokens = fitted.report.words->tokens;
    EXPECT_EQ(tokens.all(), fitted.model.tokens);
    EXPECT_EQ(tokens.all(), 20'000u);
    EXPECT_GT(tokens.waiting, 0u);
    EXPECT_EQ(tokens.left, 0u);
    EXPECT_NEAR(Mass(fitted.model.posterior), tokens.learnt, 1e-6 * tokens.all());
    EXPECT_EQ(fitted.report.words->collisions, 0u);
  }
}

TEST_P(GrowingWords, AMinibatchOfNewWordsAloneIsOneToo) {
  std::string all = Texts(300, 10, 1, /*all_from_start=*/true);
  for (int i = 0; i < 120; ++i) all += "zulu yankee xray\n";
  const TemporaryFile texts(all);
  const Fitted fitted = Fit(Growing(texts.path()));
  EXPECT_EQ(fitted.model.documents, 420u);
  EXPECT_EQ(fitted.model.vocabulary.size(), 43u);
  EXPECT_EQ(fitted.report.words->tokens.all(), fitted.model.tokens);
  EXPECT_EQ(fitted.model.posterior.variances().known(), GetParam() == std::string("gibbs"));
}

TEST_P(GrowingWords, TheFewestTokensLeaveAtTheLimit) {
  const TemporaryFile texts(Texts(1000, 30, 3));
  TopicFitOptions options = Growing(texts.path());
  options.topics.max_vocab = 80;
  const Fitted fitted = Fit(options);
  EXPECT_LE(fitted.model.vocabulary.size(), 80u);
  EXPECT_GT(fitted.report.words->words_left, 0u);
  const WordTokens& tokens = fitted.report.words->tokens;
  EXPECT_GT(tokens.left, 0u);
  EXPECT_EQ(tokens.all(), fitted.model.tokens);
  EXPECT_NEAR(Mass(fitted.model.posterior), tokens.learnt, 1e-6 * tokens.all());
  EXPECT_EQ(fitted.report.vocabulary, fitted.model.vocabulary.size());
}

TEST_P(GrowingWords, ARunThatWasStoppedResumesBitForBit) {
  const TemporaryFile texts(Texts(1000, 30, 4));
  const TemporaryFile folder("", ".checkpoints"), whole("", ".whole"), model("", ".model");
  std::filesystem::remove(folder.path());
  TopicFitOptions options = Growing(texts.path());
  options.topics.max_vocab = 110;
  options.output = whole.path();
  TopicFit(options, Context(1)).Run();

  options.output = model.path();
  options.checkpoint = folder.path();
  options.checkpoint_every = "1";
  for (uint64_t stop_after = 2;; stop_after += 3) {
    std::stop_source stop;
    TopicFit::Watchers watchers;
    watchers.progress = [&](const Summary& summary) {
      if (summary.minibatches >= stop_after) stop.request_stop();
    };
    const TopicReport report = TopicFit(options, Context(1, stop.get_token()), watchers).Run();
    options.resume = true;
    if (!report.summary.stopped) break;
    ASSERT_LT(stop_after, 100u);
  }
  EXPECT_TRUE(BytesOf(model.path()) == BytesOf(whole.path()));
  std::filesystem::remove_all(folder.path());
}

TEST_P(GrowingWords, AModelContinuesWithItsWordsAndItsAccounts) {
  const TemporaryFile before(Texts(500, 30, 5)), after(Texts(500, 35, 6)), saved("", ".model");
  TopicFitOptions options = Growing(before.path());
  options.output = saved.path();
  const Fitted first = Fit(options);
  const TopicModel loaded = LoadTopicModel(saved.path());
  EXPECT_EQ(loaded.vocabulary, first.model.vocabulary);
  EXPECT_EQ(loaded.words->accounts, first.model.words->accounts);
  EXPECT_EQ(loaded.words->words, first.model.words->words);
  EXPECT_EQ(loaded.words->frequent, first.model.words->frequent);

  TopicFitOptions more;
  more.inputs = {after.path()};
  more.from = saved.path();
  more.given = R"({"minibatch": 50, "format": "text"})";
  const Fitted second = Fit(more);
  ASSERT_GT(second.model.vocabulary.size(), first.model.vocabulary.size());
  EXPECT_TRUE(std::equal(first.model.vocabulary.begin(), first.model.vocabulary.end(),
                         second.model.vocabulary.begin()));
  EXPECT_THAT(second.model.vocabulary, Not(Contains("end")));
  EXPECT_EQ(second.model.tokens, 20'000u);
  EXPECT_EQ(second.model.words->accounts.tokens.all(), 20'000u);
  EXPECT_NEAR(Mass(second.model.posterior), second.model.words->accounts.tokens.learnt, 1e-2);
}

TEST_P(GrowingWords, AModelOfFixedWordsCanGrowFromThere) {
  const TemporaryFile before(Texts(300, 20, 7, true)), after(Texts(500, 35, 8)),
      saved("", ".model");
  TopicFitOptions options = FitOf(before.path(), GetParam(), false);
  options.output = saved.path();
  const Fitted first = Fit(options);
  TopicFitOptions more;
  more.inputs = {after.path()};
  more.from = saved.path();
  more.given = R"({"minibatch": 50, "format": "text", "grow_vocab": true})";
  const Fitted second = Fit(more);
  EXPECT_GT(second.model.vocabulary.size(), first.model.vocabulary.size());
  EXPECT_EQ(second.model.words->accounts.tokens.all(), second.model.tokens);
  EXPECT_NEAR(Mass(second.model.posterior), second.model.words->accounts.tokens.learnt, 1e-2);
}

TEST_P(GrowingWords, HeldOutDocumentsAreScoredByTheWordsOfTheMoment) {
  const TemporaryFile texts(Texts(1000, 30, 9)), held_out("990\n991\n992\n993\n994\n995\n");
  TopicFitOptions options = Growing(texts.path());
  options.holdout = held_out.path();
  const Fitted fitted = Fit(options);
  ASSERT_GE(fitted.report.curve.size(), 3u);
  EXPECT_GT(fitted.report.test_tokens, 30u);
  // The score at the end is that of the model, whose words are those of a fixed vocabulary now.
  CorpusOptions corpus = fitted.model.Corpus({texts.path()});
  const LdaScore score = LogPredictive(
      fitted.model.posterior,
      SplitHeldOut(ReadDocuments(corpus, {990, 991, 992, 993, 994, 995}), SplitRule::kHalfTypes),
      fitted.model.Spec(), Context(1));
  EXPECT_EQ(score.log_predictive, fitted.report.curve.back().log_predictive);
  EXPECT_EQ(score.test_tokens, fitted.report.test_tokens);
}

INSTANTIATE_TEST_SUITE_P(Primitives, GrowingWords, testing::Values("gibbs", "vb"),
                         [](const auto& which) { return std::string(which.param); });

TEST(GrowingWordsOptions, WhatDoesNotGoWithThemIsRefused) {
  const TemporaryFile texts(Texts(30, 5, 1));
  const auto message = [&](const auto& change) {
    TopicFitOptions options = FitOf(texts.path(), "gibbs", true);
    change(options.topics);
    return MessageOf<UsageError>([&] { TopicFit fit(options, Context(1)); });
  };
  EXPECT_THAT(message([](TopicOptions& o) { o.vocab = "words.txt"; }), HasSubstr("--vocab"));
  EXPECT_THAT(message([](TopicOptions& o) { o.primitive = "ep"; }), HasSubstr("--primitive ep"));
  EXPECT_THAT(message([](TopicOptions& o) { o.phrases = true; }), HasSubstr("--phrases"));
  EXPECT_THAT(message([](TopicOptions& o) { o.intervals = "sampled"; }),
              HasSubstr("--intervals sampled"));
  EXPECT_THAT(message([](TopicOptions& o) {
                o.primitive = "vb";
                o.algorithm = "ssu";
                o.first_minibatch.reset();
              }),
              HasSubstr("--algorithm ssu"));
  const TemporaryFile bags("2\n3\n3\n1 1 2\n1 2 1\n2 3 1\n");
  TopicFitOptions options = FitOf(bags.path(), "gibbs", true);
  options.topics.format = "uci";
  EXPECT_THAT(MessageOf<UsageError>([&] { TopicFit fit(options, Context(1)); }),
              HasSubstr("--grow-vocab is for texts, but the format is uci"));
}

TEST(GrowingWordsOptions, AreSavedOnlyWhereTheyAreSet) {
  TopicOptions options;
  EXPECT_THAT(options.ToJson(), Not(HasSubstr("grow_vocab")));
  options.grow_vocab = true;
  EXPECT_TRUE(TopicOptions::FromJson(options.ToJson()).Grows());
}

TEST(GrowingWordsModel, OneThatDoesNotAddUpIsNotLoaded) {
  const TemporaryFile texts(Texts(300, 10, 3)), saved("", ".model");
  TopicFitOptions options = FitOf(texts.path(), "gibbs", true);
  Fitted fitted = Fit(options);
  ++fitted.model.words->accounts.tokens.learnt;
  SaveTopicModel(fitted.model, saved.path());
  EXPECT_THAT(MessageOf<InputError>([&] { LoadTopicModel(saved.path()); }),
              HasSubstr("do not add up"));
}

TEST(GrowingWordsModel, OneWithRowsOfOtherWordsIsNotContinued) {
  const TemporaryFile texts(Texts(300, 10, 3));
  const Fitted fitted = Fit(FitOf(texts.path(), "gibbs", true));
  TopicModel model = fitted.model;
  model.posterior.Set(1'000'000, std::vector<double>(4, 2.0));
  EXPECT_THAT(MessageOf<InputError>([&] { TopicSession(model, Context(1)); }),
              HasSubstr("row for word 1000000"));
  model = fitted.model;
  std::swap(model.vocabulary[0], model.vocabulary[1]);
  EXPECT_THAT(MessageOf<InputError>([&] { TopicSession(model, Context(1)); }),
              HasSubstr("do not go together"));
}

// Texts as they were written are words of the stream, whoever pushes them.
TEST(GrowingWordsSession, DocumentsWithoutADictionaryHaveTheWordsItBeganWith) {
  TopicOptions options;
  options.topics = 2;
  options.grow_vocab = true;
  TopicSession session(options, {"alpha", "beta"}, Context(1));
  Documents documents;
  documents.words = {0, 1};
  documents.counts = {2, 3};
  documents.offsets = {0, 2};
  documents.numbers = {1};
  session.Update(documents);
  const TopicModel model = session.Snapshot();
  EXPECT_EQ(model.words->accounts.tokens.learnt, 5u);
  EXPECT_EQ(session.spec().vocabulary, 2u);
  EXPECT_EQ(session.Proportions(documents).size(), 2u);
}

}  // namespace
}  // namespace sda
