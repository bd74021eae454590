// Collapsed Gibbs sampling: exact where the posterior can be enumerated, and what always holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <string>

#include "lda_test_util.h"
#include "sda/checker.h"
#include "sda/errors.h"
#include "sda/lda_gibbs.h"

namespace sda {
namespace {

LdaSpec SmallSpec() { return {.topics = 5, .vocabulary = 60, .alpha = {0.2}, .eta = 0.1}; }

GibbsOptions SmallOptions() {
  GibbsOptions options;
  options.sweeps = 6;
  options.first_sweeps = 12;
  options.averaged = options.first_averaged = 3;
  return options;
}

// Three documents, seven tokens, words with counts above one.
Documents TinyDocuments() { return {{0, 2, 4, 5}, {0, 1, 1, 2, 0}, {1, 2, 1, 1, 2}, {1, 2, 3}}; }

LdaSpec TinySpec() { return {.topics = 2, .vocabulary = 3, .alpha = {0.4, 0.9}, .eta = 0.15}; }

GibbsOptions TinyOptions() {
  GibbsOptions options;
  options.averaged = options.first_averaged = options.first_sweeps = options.sweeps = 400'000;
  return options;
}

// A prior without symmetry, so that the topics can be distinguished.
KeyedRows TinyPrior() {
  KeyedRows prior(std::vector<double>{0.3, 0.7});
  prior.Add(0, std::vector<double>{1.5, 0});
  prior.Add(2, std::vector<double>{0.25, 2});
  return prior;
}

struct Token {
  uint32_t document;
  uint32_t word;
};

std::vector<Token> TokensOf(const Documents& documents) {
  std::vector<Token> tokens;
  for (uint32_t d = 0; d < documents.size(); ++d) {
    for (uint64_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
      tokens.insert(tokens.end(), documents.counts[i], {d, documents.words[i]});
    }
  }
  return tokens;
}

// log p(words, z) up to a constant: Dirichlet-multinomial in every document and topic.
double LogJoint(const std::vector<Token>& tokens, const std::vector<int>& topics,
                const std::vector<double>& alpha, const std::vector<double>& lambda, size_t words) {
  const size_t k_count = alpha.size();
  std::vector<std::vector<double>> in_document(3, alpha);
  std::vector<double> in_topic = lambda;
  for (size_t i = 0; i < tokens.size(); ++i) {
    ++in_document[tokens[i].document][topics[i]];
    ++in_topic[topics[i] * words + tokens[i].word];
  }
  double sum = 0;
  for (const auto& counts : in_document) {
    for (const double count : counts) sum += std::lgamma(count);
  }
  for (size_t k = 0; k < k_count; ++k) {
    double total = 0;
    for (size_t v = 0; v < words; ++v) {
      sum += std::lgamma(in_topic[k * words + v]);
      total += in_topic[k * words + v];
    }
    sum -= std::lgamma(total);
  }
  return sum;
}

// K x V expected counts, over all K^tokens assignments.
std::vector<double> Enumerated(const Documents& documents, const std::vector<double>& alpha,
                               const KeyedRows& prior, size_t words) {
  const std::vector<Token> tokens = TokensOf(documents);
  const std::vector<double> lambda = Matrix(prior, words);
  std::vector<double> counts(lambda.size(), 0.0);
  double evidence = 0;
  for (uint32_t bits = 0; bits < 1U << tokens.size(); ++bits) {
    std::vector<int> topics;
    for (size_t i = 0; i < tokens.size(); ++i) topics.push_back(bits >> i & 1);
    const double p = std::exp(LogJoint(tokens, topics, alpha, lambda, words));
    evidence += p;
    for (size_t i = 0; i < tokens.size(); ++i) counts[topics[i] * words + tokens[i].word] += p;
  }
  for (double& count : counts) count /= evidence;
  return counts;
}

// The same by a sampler as plain as can be: means of the sampled counts.
std::vector<double> PlainSampler(const Documents& documents, const std::vector<double>& alpha,
                                 const KeyedRows& prior, size_t words, int burn_in, int sweeps) {
  const std::vector<Token> tokens = TokensOf(documents);
  const size_t k_count = alpha.size();
  std::vector<double> lambda = Matrix(prior, words);
  std::vector<double> sums(k_count, 0.0);
  for (size_t i = 0; i < lambda.size(); ++i) sums[i / words] += lambda[i];
  std::vector<std::vector<double>> in_document(documents.size(), alpha);
  std::vector<double> means(lambda.size(), 0.0);
  std::vector<size_t> topics(tokens.size(), k_count);
  std::mt19937_64 random(3);
  for (int sweep = 0; sweep < burn_in + sweeps; ++sweep) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      auto move = [&](size_t k, int by) {
        in_document[tokens[i].document][k] += by;
        lambda[k * words + tokens[i].word] += by;
        sums[k] += by;
      };
      if (sweep > 0) move(topics[i], -1);
      std::vector<double> p(k_count);
      for (size_t k = 0; k < k_count; ++k) {
        p[k] = in_document[tokens[i].document][k] * lambda[k * words + tokens[i].word] / sums[k];
      }
      topics[i] = std::discrete_distribution<size_t>(p.begin(), p.end())(random);
      move(topics[i], 1);
      if (sweep >= burn_in) means[topics[i] * words + tokens[i].word] += 1.0 / sweeps;
    }
  }
  return means;
}

double LargestDifference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

class GibbsTest : public OnBackend {
 protected:
  static LdaGibbs Gibbs(const LdaSpec& spec, const GibbsOptions& options, int threads = 1) {
    return LdaGibbs(spec, options, Context(threads), Backend(threads));
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, GibbsTest, testing::ValuesIn(Backends()), NameOfBackend);

TEST_P(GibbsTest, MeanCountsEqualFullEnumeration) {
  const LdaSpec spec = TinySpec();
  const KeyedRows change = Gibbs(spec, TinyOptions()).Change(TinyDocuments(), TinyPrior(), 0);
  const std::vector<double> expected =
      Enumerated(TinyDocuments(), spec.alpha, TinyPrior(), spec.vocabulary);
  EXPECT_LT(LargestDifference(Matrix(change, spec.vocabulary), expected), 0.005);
}

// A prior that knows the topics, so that they cannot swap places and there is one mode.
KeyedRows PriorThatKnows(const std::vector<std::vector<double>>& topics, double tokens) {
  KeyedRows prior(std::vector<double>(topics.size(), 0.1));
  for (uint64_t v = 0; v < topics[0].size(); ++v) {
    std::vector<double> row;
    for (const auto& topic : topics) row.push_back(tokens * topic[v]);
    prior.Add(v, row);
  }
  return prior;
}

TEST_P(GibbsTest, MeanCountsAgreeWithAPlainSampler) {
  const auto topics = RandomTopics(5, 60, 0.3, 4);
  const Documents documents = Generate(topics, 0.2, 20, 40, 5);
  const KeyedRows prior = PriorThatKnows(topics, 100);
  GibbsOptions options = SmallOptions();
  options.sweeps = options.first_sweeps = 5'200;
  options.averaged = 5'000;
  const std::vector<double> plain =
      PlainSampler(documents, SmallSpec().Alpha(), prior, 60, 200, 5'000);
  for (const uint64_t seed : {1, 2, 3}) {
    options.seed = seed;
    const std::vector<double> means =
        Matrix(Gibbs(SmallSpec(), options).Change(documents, prior, 0), 60);
    EXPECT_LT(LargestDifference(means, plain), 0.5) << "seed " << seed;
  }
}

TEST_P(GibbsTest, SeveralGroupsAgreeWithAPlainSampler) {
  const auto topics = RandomTopics(5, 60, 0.3, 4);
  const Documents documents = Generate(topics, 0.2, 600, 40, 5);
  GibbsOptions options = SmallOptions();
  options.sweeps = options.first_sweeps = 120;
  options.averaged = 100;
  const KeyedRows prior = PriorThatKnows(topics, 100);
  const std::vector<double> plain =
      PlainSampler(documents, SmallSpec().Alpha(), prior, 60, 20, 100);
  auto distance = [&](int groups) {
    options.groups = groups;
    const std::vector<double> means =
        Matrix(Gibbs(SmallSpec(), options).Change(documents, prior, 0), 60);
    double sum = 0;
    for (size_t i = 0; i < means.size(); ++i) sum += std::abs(means[i] - plain[i]);
    return sum / Tokens(documents);
  };
  EXPECT_LT(distance(1), 0.025);
  EXPECT_LT(distance(2), 0.025);
}

TEST_P(GibbsTest, LambdaHoldsEveryTokenInEverySchedule) {
  const Documents corpus = GoldenDocuments();
  const LdaSpec spec = SmallSpec();
  for (const Schedule schedule :
       {Schedule::kSerial, Schedule::kSynchronous, Schedule::kAsynchronous}) {
    RunOptions run;
    run.schedule = schedule;
    run.workers = schedule == Schedule::kSerial ? 1 : 3;
    const KeyedRows posterior =
        Fit(Cut(corpus, 16), Gibbs(spec, SmallOptions()), LdaPrior(spec), run);
    const std::vector<double> lambda = Matrix(posterior, spec.vocabulary);
    const double sum = std::accumulate(lambda.begin(), lambda.end(), 0.0);
    EXPECT_NEAR((sum - 5 * 60 * spec.eta) / Tokens(corpus), 1, 1e-9);
  }
}

// Enough tokens for several groups in every minibatch.
Documents WideCorpus() { return Generate(RandomTopics(40, 2000, 0.02, 7), 0.1, 480, 300, 8); }

TEST_P(GibbsTest, TheResultIsBitIdenticalForAnyNumberOfThreads) {
  const std::vector<Documents> minibatches = Cut(WideCorpus(), 240);
  const LdaSpec spec{.topics = 70, .vocabulary = 2000, .alpha = {0.2}, .eta = 0.1};
  const auto fit = [&](const GibbsOptions& options, int threads) {
    return Fit(minibatches, Gibbs(spec, options, threads), LdaPrior(spec)).Serialize();
  };
  const std::string one = fit(SmallOptions(), 1);
  for (const int threads : {2, 3, 8}) {
    EXPECT_EQ(fit(SmallOptions(), threads), one) << threads << " threads";
  }
  GibbsOptions one_group = SmallOptions();
  one_group.groups = 1;
  EXPECT_NE(fit(one_group, 1), one) << "one group is enough";
}

TEST_P(GibbsTest, OneTopicIsTheExactPosterior) {
  const Documents corpus = GoldenDocuments();
  LdaSpec spec = SmallSpec();
  spec.topics = 1;
  std::vector<double> expected(60, spec.eta);
  for (size_t i = 0; i < corpus.words.size(); ++i) expected[corpus.words[i]] += corpus.counts[i];
  const KeyedRows posterior = Fit(Cut(corpus, 16), Gibbs(spec, SmallOptions()), LdaPrior(spec));
  EXPECT_LT(LargestRelativeError(Matrix(posterior, 60), expected), 1e-12);
}

// Words with one token, in documents of one token, leave next to nothing to draw from.
TEST_P(GibbsTest, ATinyEtaGivesNumbers) {
  Documents documents = Generate(RandomTopics(10, 300, 0.1, 3), 0.1, 1000, 40, 4);
  for (uint32_t word = 300; word < 350; ++word) {
    documents.words.push_back(word);
    documents.counts.push_back(1);
    documents.offsets.push_back(documents.words.size());
    documents.numbers.push_back(documents.numbers.size() + 1);
  }
  LdaSpec spec = GibbsSpec(10, 350);
  spec.eta = 1e-9;
  GibbsOptions options;
  options.first_sweeps = 20;
  const KeyedRows posterior = Fit({documents}, Gibbs(spec, options), LdaPrior(spec));
  for (size_t r = 0; r < posterior.rows(); ++r) {
    for (const double x : posterior.row(r)) ASSERT_TRUE(std::isfinite(x)) << "row " << r;
  }
  const auto totals = posterior.totals();
  EXPECT_NEAR(std::accumulate(totals.begin(), totals.end(), 0.0), Tokens(documents), 1e-4);
}

// Five sweeps of 4,000,000 tokens: a sum in floats would stop at 2^24.
TEST_P(GibbsTest, MeanCountsMayBeLarge) {
  GibbsOptions options;
  options.sweeps = 5;
  options.groups = 1;
  KeyedRows prior(std::vector<double>{0.1, 0.1});  // the last word says nothing, the others all
  prior.Add(0, std::vector<double>{1e7, 0});
  prior.Add(1, std::vector<double>{0, 1e7});
  prior.Add(2, std::vector<double>{1e7, 1e7});
  const Documents documents{
      {0, 2, 4}, {0, 2, 1, 2}, {400'000, 4'000'000, 400'000, 500'000}, {1, 2}};
  const KeyedRows posterior = Fit({documents}, Gibbs(GibbsSpec(2, 3), options), prior);
  EXPECT_NEAR(posterior.At(2)[0] - prior.At(2)[0], 4'000'000, 1000);
  EXPECT_NEAR(posterior.At(2)[1] - prior.At(2)[1], 500'000, 1000);
}

TEST_P(GibbsTest, RecoversTheTopicsOfSyntheticDocuments) {
  // Four topics on four disjoint sets of ten words.
  std::vector<std::vector<double>> topics(4, std::vector<double>(40, 0.0));
  for (size_t v = 0; v < 40; ++v) topics[v / 10][v] = 0.1;
  const LdaSpec spec{.topics = 4, .vocabulary = 40, .alpha = {0.2}, .eta = 0.1};
  const Documents corpus = Generate(topics, 0.2, 400, 60, 11);
  const KeyedRows posterior = Fit(Cut(corpus, 100), Gibbs(spec, SmallOptions()), LdaPrior(spec));
  for (uint64_t v = 0; v < 40; ++v) {
    const auto row = posterior.At(v);
    const auto best = std::max_element(row.begin(), row.end());
    EXPECT_GT(*best, 0.9 * std::accumulate(row.begin(), row.end(), 0.0)) << "word " << v;
    const auto neighbour = posterior.At(v / 10 * 10);
    EXPECT_EQ(best - row.begin(),
              std::max_element(neighbour.begin(), neighbour.end()) - neighbour.begin());
  }
}

TEST_P(GibbsTest, KeepsThePromisesOfTheFramework) {
  const Documents corpus = GoldenDocuments();
  const LdaGibbs gibbs = Gibbs(SmallSpec(), SmallOptions());
  Plugin<Documents, KeyedRows> plugin;
  plugin.prior = LdaPrior(SmallSpec());
  plugin.primitive = &gibbs;
  plugin.data = [&](uint64_t begin, uint64_t end) { return Slice(corpus, begin, end); };
  plugin.items = 80;
  plugin.minibatch = 9;
  EXPECT_THAT(CheckPlugin(plugin), testing::IsEmpty());
}

TEST_P(GibbsTest, AnotherSeedOrMinibatchGivesAnotherSample) {
  GibbsOptions options = SmallOptions();
  const auto sample = [&](uint64_t seed, uint64_t key) {
    options.seed = seed;
    return Gibbs(SmallSpec(), options)
        .Change(GoldenDocuments(), LdaPrior(SmallSpec()), key)
        .Serialize();
  };
  const std::string one = sample(1, 0);
  EXPECT_EQ(sample(1, 0), one);
  EXPECT_NE(sample(2, 0), one);
  EXPECT_NE(sample(1, 1), one);
  EXPECT_NE(sample(2, 1), sample(1, 2));
}

// The key is the minibatch's id, which a source in memory gives without being asked.
TEST_P(GibbsTest, EveryMinibatchInMemoryHasRandomNumbersOfItsOwn) {
  const LdaGibbs gibbs = Gibbs(SmallSpec(), SmallOptions());
  const KeyedRows prior = LdaPrior(SmallSpec());
  const std::vector<Documents> twice(2, GoldenDocuments());
  RunOptions run;
  run.schedule = Schedule::kSynchronous;  // both from the prior, so that only the key differs
  run.workers = 2;
  KeyedRows expected = prior;
  expected += gibbs.Change(twice[0], prior, 0);
  expected += gibbs.Change(twice[1], prior, 1);
  EXPECT_LT(MaxRelativeDifference(Fit(twice, gibbs, prior, run), expected), 1e-12);
  EXPECT_GT(
      MaxRelativeDifference(gibbs.Change(twice[0], prior, 0), gibbs.Change(twice[1], prior, 1)),
      0.01);
}

TEST_P(GibbsTest, TouchesTheDistinctWords) {
  const auto touched = Gibbs(TinySpec(), TinyOptions()).Touches(TinyDocuments());
  EXPECT_FALSE(touched.everything);
  EXPECT_THAT(touched.keys, testing::ElementsAre(0, 1, 2));
}

TEST_P(GibbsTest, BadOptionsAndWordsAreNamed) {
  auto message = [](auto change) -> std::string {
    LdaSpec spec = SmallSpec();
    GibbsOptions options = SmallOptions();
    change(spec, options);
    try {
      Gibbs(spec, options).Change(GoldenDocuments(), LdaPrior(spec), 0);
    } catch (const UsageError& error) {
      return error.what();
    } catch (const InputError& error) {
      return std::string("input: ") + error.what();
    }
    return "";
  };
  EXPECT_EQ(message([](auto&, auto& o) { o.sweeps = 2; }),
            "sweeps is 2, must be at least averaged, 3");
  EXPECT_EQ(message([](auto&, auto& o) { o.first_sweeps = 0; }),
            "first_sweeps is 0, must be at least 1");
  EXPECT_EQ(message([](auto&, auto& o) { o.first_averaged = 0; }),
            "first_averaged is 0, must be at least 1");
  EXPECT_EQ(message([](auto&, auto& o) { o.averaged = 0; }), "averaged is 0, must be at least 1");
  EXPECT_EQ(message([](auto&, auto& o) { o.groups = 0; }),
            "groups is 0, must be between 1 and 1024");
  EXPECT_EQ(message([](auto&, auto& o) { o.workers = 0; }), "workers is 0, must be at least 1");
  EXPECT_EQ(message([](auto& s, auto&) { s.vocabulary = 10; }),
            "input: word id is 11, must be below the vocabulary, 10");
}

}  // namespace
}  // namespace sda
