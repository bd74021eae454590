// Documents that are kept and fitted together at the end: --intervals sampled.

#include "topics/refit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

#include "sda/errors.h"
#include "sda/lda.h"
#include "sda/lda_topics.h"
#include "sda/topic_fit.h"
#include "sda/topics.h"
#include "tests/base/temporary_file.h"
#include "tests/topics/topic_test_util.h"

namespace sda {
namespace {

constexpr uint64_t kWords = 60;

TopicOptions Sampled(int topics) {
  TopicOptions options;
  options.topics = topics;
  options.intervals = "sampled";
  return options;
}

double Mass(const KeyedRows& posterior) {
  return std::accumulate(posterior.totals().begin(), posterior.totals().end(), 0.0);
}

// The topic of each range of words.
std::vector<size_t> TopicOfRange(const KeyedRows& posterior) {
  std::vector<size_t> topics;
  for (uint64_t range = 0; range < 4; ++range) {
    const auto row = posterior.At(range * (kWords / 4) + 1);
    topics.push_back(std::max_element(row.begin(), row.end()) - row.begin());
  }
  return topics;
}

TEST(RefitTest, KeepsTheTopicsAndTheMass) {
  for (const int64_t keep : {1000, 60}) {
    TopicOptions options = Sampled(4);
    options.keep_documents = keep;
    TopicSession session(options, WordNames(kWords), Context(1));
    for (const Documents& documents : MakeMinibatches(5, 40, kWords)) session.Update(documents);
    const TopicModel before = session.Snapshot();
    EXPECT_EQ(before.refitted_share, 0);
    EXPECT_TRUE(before.ApproximateIntervals());
    session.Refit();
    const TopicModel after = session.Snapshot();
    EXPECT_NEAR(Mass(after.posterior), 200 * 30, 1e-6);
    EXPECT_EQ(TopicOfRange(after.posterior), TopicOfRange(before.posterior));
    EXPECT_NE(after.posterior.Serialize(), before.posterior.Serialize());
    EXPECT_NEAR(after.refitted_share, std::min(1.0, static_cast<double>(keep) / 200), 1e-12);
    EXPECT_EQ(after.ApproximateIntervals(), keep < 200);
    EXPECT_EQ(after.documents, 200u);
  }
}

TEST(RefitTest, DoesNotDependOnTheNumberOfThreads) {
  const auto minibatches = MakeMinibatches(3, 40, kWords);
  std::string first;
  for (const int threads : {1, 3}) {
    TopicSession session(Sampled(4), WordNames(kWords), Context(threads));
    for (const Documents& documents : minibatches) session.Update(documents);
    session.Refit();
    const std::string bytes = session.Snapshot().posterior.Serialize();
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first);
  }
}

TEST(RefitTest, WhatIsLearntAfterwardsMakesTheIntervalsApproximateAgain) {
  TopicSession session(Sampled(4), WordNames(kWords), Context(1));
  const auto minibatches = MakeMinibatches(3, 40, kWords);
  session.Update(minibatches[0]);
  session.Refit();
  EXPECT_FALSE(session.Snapshot().ApproximateIntervals());
  session.Update(minibatches[1]);
  EXPECT_TRUE(session.Snapshot().ApproximateIntervals());
}

TEST(RefitTest, ASessionThatIsContinuedWithItsNotesHasTheDocuments) {
  TopicSession session(Sampled(4), WordNames(kWords), Context(1));
  session.Update(MakeDocuments(100, kWords, 1));
  TopicSession same(session.Snapshot(), Context(1));
  same.ContinueNotes(session.Notes());
  EXPECT_TRUE(session.Refit());
  EXPECT_TRUE(same.Refit());
  for (uint64_t word = 0; word < kWords; ++word) {
    EXPECT_THAT(same.Snapshot().posterior.At(word),
                testing::ElementsAreArray(session.Snapshot().posterior.At(word)));
  }
  EXPECT_THROW(same.ContinueNotes("{"), InputError);
}

TEST(RefitTest, ACopyOfASessionThatContinuedFromAModelDoesNotCountItsDocumentsTwice) {
  TopicSession first(Sampled(4), WordNames(kWords), Context(1));
  first.Update(MakeDocuments(100, kWords, 1));
  TopicSession session(first.Snapshot(), Context(1));
  session.Update(MakeDocuments(100, kWords, 2));
  TopicSession same(session.Snapshot(), Context(1));
  same.ContinueNotes(session.Notes());
  EXPECT_FALSE(same.Refit());
  same.Update(MakeDocuments(100, kWords, 3));
  EXPECT_TRUE(same.Refit());
  const TopicModel model = same.Snapshot();
  const auto totals = model.posterior.totals();
  EXPECT_NEAR(std::accumulate(totals.begin(), totals.end(), 0.0), model.tokens, 1e-6);
}

TEST(RefitTest, ASavedModelHasItsVariances) {
  const TemporaryFile file("", ".safetensors");
  TopicSession session(Sampled(4), WordNames(kWords), Context(1));
  session.Update(MakeDocuments(100, kWords, 1));
  session.Refit();
  session.Save(file.path());
  const TopicModel model = LoadTopicModel(file.path());
  EXPECT_FALSE(model.ApproximateIntervals());
  const KeyedRows now = session.Snapshot().posterior;
  for (uint64_t word = 0; word < kWords; ++word) {
    const auto loaded = model.posterior.variances().At(word);
    EXPECT_THAT(loaded, testing::ElementsAreArray(now.variances().At(word)));
  }
  // A session that continues from it is of the same documents, which it has not kept, and adds to
  // them.
  TopicSession same(model, Context(1));
  EXPECT_FALSE(same.Snapshot().ApproximateIntervals());
  EXPECT_FALSE(same.Refit());
  TopicSession more(model, Context(1));
  more.Update(MakeDocuments(100, kWords, 2));
  EXPECT_TRUE(more.Snapshot().posterior.variances().known());
}

// Of each word, the counts in the posterior are those in the documents, each of which counts once.
TEST(RefitTest, TheDocumentsOfAModelToContinueFromStayAsTheyWereFitted) {
  TopicSession first(Sampled(4), WordNames(kWords), Context(1));
  first.Update(MakeDocuments(80, kWords, 1));
  const TopicModel model = first.Snapshot();
  std::vector<double> counts(kWords, 0.0);
  for (const uint64_t seed : {1, 2}) {
    const Documents documents = MakeDocuments(seed == 1 ? 80 : 120, kWords, seed);
    for (size_t i = 0; i < documents.words.size(); ++i) {
      counts[documents.words[i]] += documents.weight(i);
    }
  }
  for (const int64_t keep : {1000, 60}) {
    TopicModel continued = model;
    continued.options.keep_documents = keep;
    TopicSession more(std::move(continued), Context(1));
    more.Update(MakeDocuments(120, kWords, 2));
    more.Refit();
    const TopicModel after = more.Snapshot();
    EXPECT_NEAR(Mass(after.posterior), 200 * 30, 1e-6);
    EXPECT_NEAR(after.refitted_share, std::min<double>(120, keep) / 200, 1e-12);
    EXPECT_TRUE(after.posterior.variances().known());
    if (keep < 120) continue;  // a sample does not have its share of every word
    for (uint64_t word = 0; word < kWords; ++word) {
      const auto row = after.posterior.At(word);
      const auto prior = after.posterior.default_row();
      const double sum = std::accumulate(row.begin(), row.end(), 0.0) -
                         std::accumulate(prior.begin(), prior.end(), 0.0);
      EXPECT_NEAR(sum, counts[word], 1e-9) << word;
      const auto before = model.posterior.variances().At(word);
      const auto variances = after.posterior.variances().At(word);
      for (size_t k = 0; k < before.size(); ++k) EXPECT_GE(variances[k], before[k]);
    }
  }
}

// A stream can have one topic for two, and two for one: with all documents together they come
// apart.
TEST(RefitTest, TopicsThatTheStreamLostAreFound) {
  const Documents documents = MakeDocuments(400, kWords, 5);
  const LdaSpec spec{.topics = 4, .vocabulary = kWords, .alpha = {0.1}, .eta = 0.1};
  const KeyedRows prior = LdaPrior(spec);
  KeyedRows lost = prior;
  for (uint64_t word = 0; word < kWords; ++word) {
    const uint64_t range = word / (kWords / 4);
    std::vector<double> row(4, 0.0);
    if (range == 0) row[0] = row[1] = 100;
    if (range == 1 || range == 2) row[2] = 200;
    if (range == 3) row[3] = 200;
    lost.Add(word, row);
  }
  const KeyedRows found =
      RefitTopics({documents, prior, lost, Tokens(documents), 1}, spec, Context(1), {});
  std::vector<size_t> topics = TopicOfRange(found);
  std::sort(topics.begin(), topics.end());
  EXPECT_THAT(topics, testing::ElementsAre(0, 1, 2, 3));
}

TEST(RefitTest, TheTimeOfAFitIncludesIt) {
  std::string text;
  for (int d = 0; d < 30; ++d) text += d % 2 ? "aaa bbb ccc aaa\n" : "ddd eee fff ddd\n";
  const TemporaryFile texts(text);
  TopicFitOptions options;
  options.inputs = {texts.path()};
  options.topics = Sampled(2);
  options.topics.format = "text";
  double slept = 0;
  TopicFit::Watchers watchers;
  watchers.on_refit_sweep = [&](int, int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    slept += 0.002;
  };
  const TopicReport report = TopicFit(options, Context(1), watchers).Run();
  EXPECT_GT(slept, 0.01);
  EXPECT_GE(report.summary.seconds, slept);
}

TEST(RefitTest, IntervalsGoWithSamplingAlone) {
  const auto message = [](const auto& change) -> std::string {
    TopicOptions options = Sampled(4);
    change(options);
    try {
      options.Validate();
    } catch (const UsageError& e) {
      return e.what();
    }
    return "";
  };
  using testing::HasSubstr;
  EXPECT_EQ(message([](TopicOptions&) {}), "");
  EXPECT_THAT(message([](TopicOptions& o) { o.primitive = "vb"; }), HasSubstr("--primitive gibbs"));
  EXPECT_THAT(message([](TopicOptions& o) { o.half_life = 1e6; }), HasSubstr("--half-life"));
  EXPECT_THAT(message([](TopicOptions& o) { o.follow = true; }), HasSubstr("--follow"));
  EXPECT_THAT(message([](TopicOptions& o) { o.keep_documents = 0; }),
              HasSubstr("--keep-documents is 0"));
  EXPECT_THAT(message([](TopicOptions& o) { o.intervals = "off", o.keep_documents = 5; }),
              HasSubstr("--intervals sampled"));
  EXPECT_THAT(message([](TopicOptions& o) { o.intervals = "wide"; }), HasSubstr("wide"));
}

// Topics that overlap, and documents of them.
struct Simulated {
  std::vector<std::vector<double>> beta;
  Documents documents;
};

Simulated Simulate(int topics, size_t words, double eta, double alpha, size_t documents, int tokens,
                   uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto dirichlet = [&](size_t size, double a) {
    std::vector<double> p(size);
    std::gamma_distribution<double> gamma(a, 1);
    for (double& x : p) x = gamma(random);
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& x : p) x /= sum;
    return p;
  };
  Simulated made;
  for (int k = 0; k < topics; ++k) made.beta.push_back(dirichlet(words, eta));
  for (size_t d = 0; d < documents; ++d) {
    const std::vector<double> theta = dirichlet(topics, alpha);
    std::discrete_distribution<size_t> topic(theta.begin(), theta.end());
    std::map<uint32_t, uint32_t> bag;
    for (int i = 0; i < tokens; ++i) {
      const auto& beta = made.beta[topic(random)];
      ++bag[std::discrete_distribution<uint32_t>(beta.begin(), beta.end())(random)];
    }
    for (const auto& [word, count] : bag) {
      made.documents.words.push_back(word);
      made.documents.counts.push_back(count);
    }
    made.documents.offsets.push_back(made.documents.words.size());
  }
  return made;
}

double Cosine(const std::vector<double>& a, const std::vector<double>& b) {
  const double ab = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  const double aa = std::inner_product(a.begin(), a.end(), a.begin(), 0.0);
  return ab / std::sqrt(aa * std::inner_product(b.begin(), b.end(), b.begin(), 0.0));
}

// The share of 95% intervals that hold the truth, of words with a share above 0.001 in topics that
// are found again.
double Coverage(const Simulated& truth, const TopicModel& model) {
  const uint64_t words = model.vocabulary.size();
  double hits = 0, all = 0;
  for (const TopicSummary& topic : SummarizeTopics(model.posterior, model.Spec(), words)) {
    std::vector<double> mean(words);
    for (const TopicWord& word : topic.top_words) mean[word.word] = word.probability.mean;
    const auto& beta = *std::max_element(
        truth.beta.begin(), truth.beta.end(),
        [&](const auto& a, const auto& b) { return Cosine(mean, a) < Cosine(mean, b); });
    if (Cosine(mean, beta) < 0.9) continue;
    for (const TopicWord& word : topic.top_words) {
      if (word.probability.mean < 0.001) continue;
      hits +=
          word.probability.lower <= beta[word.word] && beta[word.word] <= word.probability.upper;
      ++all;
    }
  }
  EXPECT_GT(all, 500);
  return hits / all;
}

// Of a stream in small minibatches, where without it early ones spoil the sum
// (docs/uncertainty.md has the whole table).
TEST(RefitTest, IntervalsHoldTheTruth95TimesIn100) {
  double sampled = 0, quick = 0;
  constexpr int kSets = 3;
  for (uint64_t seed = 1; seed <= kSets; ++seed) {
    const Simulated truth = Simulate(5, 200, 0.5, 0.3, 1500, 60, seed);
    TopicOptions options = Sampled(5);
    options.alpha = {0.3};
    options.eta = 0.5;
    TopicSession session(options, WordNames(200), Context(1));
    session.Update(Slice(truth.documents, 0, 500));
    for (size_t d = 500; d < 1500; d += 100) session.Update(Slice(truth.documents, d, d + 100));
    quick += Coverage(truth, session.Snapshot()) / kSets;
    session.Refit();
    sampled += Coverage(truth, session.Snapshot()) / kSets;
  }
  EXPECT_GT(sampled, 0.92);
  EXPECT_LT(sampled, 0.98);
  EXPECT_LT(quick, 0.9);  // which is why they are called approximate
}

}  // namespace
}  // namespace sda
