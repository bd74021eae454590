// Documents of a few bytes that count millions and billions of tokens.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "lda_test_util.h"
#include "sda/errors.h"
#include "sda/lda_ep.h"
#include "sda/lda_gibbs.h"
#include "sda/lda_score.h"
#include "sda/lda_svi.h"
#include "sda/lda_topics.h"

namespace sda {
namespace {

constexpr uint32_t kMost = UINT32_MAX;

void Append(const std::vector<uint32_t>& words, const std::vector<uint32_t>& counts,
            Documents* documents) {
  documents->words.insert(documents->words.end(), words.begin(), words.end());
  documents->counts.insert(documents->counts.end(), counts.begin(), counts.end());
  documents->offsets.push_back(documents->words.size());
  documents->numbers.push_back(documents->numbers.size() + 1);
}

void Append(const Documents& more, Documents* documents) {
  for (size_t d = 0; d < more.size(); ++d) {
    const uint64_t begin = more.offsets[d], end = more.offsets[d + 1];
    Append({more.words.begin() + begin, more.words.begin() + end},
           {more.counts.begin() + begin, more.counts.begin() + end}, documents);
  }
}

// The golden corpus, with some that no one wrote in its middle and at its end.
Documents Corpus() {
  Documents corpus = Slice(GoldenDocuments(), 0, 40);
  Append({0}, {20'000'000}, &corpus);
  Append({0, 7, 59}, {kMost, 1, kMost}, &corpus);
  Append(Slice(GoldenDocuments(), 40, 80), &corpus);
  Append({3, 4}, {100'000, 16'385}, &corpus);
  return corpus;
}

std::vector<double> TokensOfWords(const Documents& documents) {
  std::vector<double> tokens(GoldenSpec().vocabulary, 0.0);
  for (size_t i = 0; i < documents.words.size(); ++i) {
    tokens[documents.words[i]] += documents.counts[i];
  }
  return tokens;
}

// The posterior is the prior and every token, of each word and in all.
void ExpectEveryToken(const KeyedRows& posterior, const Documents& documents, double precision) {
  const double eta = posterior.default_row()[0];
  const std::vector<double> expected = TokensOfWords(documents);
  for (size_t word = 0; word < expected.size(); ++word) {
    double sum = 0;
    for (const double x : posterior.At(word)) {
      EXPECT_TRUE(std::isfinite(x) && x >= eta * (1 - 1e-9)) << word << ": " << x;
      sum += x - eta;
    }
    EXPECT_NEAR(sum, expected[word], precision * expected[word] + 1e-9) << word;
  }
  const auto totals = posterior.totals();
  const double all = static_cast<double>(Tokens(documents));
  EXPECT_NEAR(std::accumulate(totals.begin(), totals.end(), 0.0), all, precision * all);
}

TEST(LongDocumentsTest, DrawsAreBoundedAndOrdinaryDocumentsAreDrawnTokenByToken) {
  const Documents corpus = Corpus();
  EXPECT_EQ(BlockTokens(corpus, 0), 1u);
  EXPECT_EQ(Draws(corpus, 0), Tokens(corpus, 0));
  EXPECT_EQ(Draws(corpus, 40), 20'000'000u / 2048 + 1);
  EXPECT_LE(Draws(corpus, 41), 3 * kMaxSingleTokensPerWord + 3);
  EXPECT_GE(Draws(corpus, 41), kMaxSingleTokensPerWord);
  EXPECT_EQ(Draws(corpus, 82), 100'000u / 4 + 16'385 / 4 + 1);
  Documents book;  // 2^20 tokens
  Append(std::vector<uint32_t>(1 << 10, 0), std::vector<uint32_t>(1 << 10, 1 << 10), &book);
  EXPECT_EQ(BlockTokens(book, 0), 1u);
  book.counts[0] += 1;
  EXPECT_EQ(BlockTokens(book, 0), 2u);
}

TEST(LongDocumentsTest, GibbsSamplingCountsEveryTokenForAnyNumberOfThreads) {
  const Documents corpus = Corpus();
  for (const int groups : {1, 4}) {
    GibbsOptions options;
    options.first_sweeps = 12;
    options.groups = groups;
    const LdaSpec spec = GoldenSpec();
    // The first minibatch, and one with a prior that has learnt.
    std::vector<Documents> minibatches = {corpus, corpus};
    const KeyedRows one = Fit(minibatches, LdaGibbs(spec, options, Context(1)), LdaPrior(spec));
    const KeyedRows two = Fit(minibatches, LdaGibbs(spec, options, Context(2)), LdaPrior(spec));
    EXPECT_EQ(one.Serialize(), two.Serialize());
    Documents twice = corpus;
    Append(corpus, &twice);
    ExpectEveryToken(one, twice, 1e-12);
  }
}

// Words 0 and 1 have topics of their own, and the last word that of the documents it is in.
TEST(LongDocumentsTest, BlocksHaveTheTopicOfTheirDocument) {
  for (const int groups : {1, 4}) {
    GibbsOptions options;
    options.groups = groups;
    KeyedRows prior(std::vector<double>{0.1, 0.1});
    prior.Add(0, std::vector<double>{1e9, 0});
    prior.Add(1, std::vector<double>{0, 1e9});
    prior.Add(2, std::vector<double>{1e9, 1e9});
    Documents documents;
    Append({0, 2}, {400'000'000, 4'000'000'000}, &documents);
    Append({1, 2}, {400'000'000, 50'000'000}, &documents);
    const KeyedRows posterior = Fit({documents}, LdaGibbs(GibbsSpec(2, 3), options), prior);
    EXPECT_NEAR((posterior.At(2)[0] - prior.At(2)[0]) / 4e9, 1, 1e-3);
    EXPECT_NEAR((posterior.At(2)[1] - prior.At(2)[1]) / 5e7, 1, 1e-3);
  }
}

TEST(LongDocumentsTest, VbCountsEveryToken) {
  const Documents corpus = Corpus();
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    for (const LdaStart start : {LdaStart::kPrior, LdaStart::kSampled}) {
      VbOptions options;
      options.local.precision = precision;
      options.start = start;
      options.start_sweeps = 10;
      const LdaSpec spec = GoldenSpec();
      const KeyedRows posterior = Fit({corpus}, LdaVb(spec, options), LdaPrior(spec));
      ExpectEveryToken(posterior, corpus, precision == Precision::kFloat ? 1e-6 : 1e-12);
    }
  }
}

TEST(LongDocumentsTest, SviCountsEveryToken) {
  const Documents corpus = Corpus();
  const LdaSpec spec = GoldenSpec();
  SviOptions options;
  options.total_documents = static_cast<double>(corpus.size());
  options.local.precision = Precision::kDouble;
  const KeyedRows change = LdaSvi(spec, options).Change(corpus, LdaPrior(spec), 3);
  const auto totals = change.totals();
  EXPECT_NEAR(std::accumulate(totals.begin(), totals.end(), 0.0) / options.Rate(3) /
                  static_cast<double>(Tokens(corpus)),
              1, 1e-9);
}

TEST(LongDocumentsTest, EpHasPositiveParametersForTypesAndTokens) {
  const Documents corpus = Corpus();
  for (const EpUpdates updates : {EpUpdates::kType, EpUpdates::kToken}) {
    const LdaSpec spec = EpSpec(3, GoldenSpec().vocabulary);
    EpOptions options;
    options.updates = updates;
    options.sweeps = 2;
    options.start_sweeps = 5;
    const LdaEp ep(spec, options);
    const KeyedRows posterior = ep(corpus, LdaPrior(spec), 0);
    for (const double x : Matrix(posterior, spec.vocabulary)) ASSERT_TRUE(x > 0 && x < 1e11) << x;
    // Uncertain tokens count less than one; nearly all of these are certain.
    const auto totals = posterior.totals();
    EXPECT_NEAR(
        std::accumulate(totals.begin(), totals.end(), 0.0) / static_cast<double>(Tokens(corpus)), 1,
        0.01);
    EXPECT_EQ(ep.stats().tokens, Tokens(corpus));
  }
}

TEST(LongDocumentsTest, ScoresAndProportionsAreNumbers) {
  Documents corpus = Corpus();
  Append({10, 20}, {kMost, kMost}, &corpus);
  const LdaSpec spec = GoldenSpec();
  const KeyedRows posterior = Fit({corpus}, LdaVb(spec), LdaPrior(spec));
  for (const DocumentTopics& document : InferTopics(posterior, corpus, spec)) {
    double sum = 0;
    for (const TopicShare& topic : document.topics) sum += topic.proportion.mean;
    EXPECT_NEAR(sum, 1, 1e-6) << document.number;
  }
  const LdaScore score = LogPredictive(posterior, SplitHeldOut(corpus), spec);
  EXPECT_GT(score.test_tokens, uint64_t{kMost});
  EXPECT_TRUE(score.log_predictive < 0 && score.log_predictive > -20) << score.log_predictive;
}

}  // namespace
}  // namespace sda
