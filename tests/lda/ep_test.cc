// EP for LDA: agreement with the dense statement of the algorithm (ep_reference.py), exact cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <utility>

#include "ep_golden.h"
#include "lda/ep/ep_dense.h"
#include "lda/ep/ep_history.h"
#include "lda/ep/ep_matching.h"
#include "lda_test_util.h"
#include "sda/checker.h"
#include "sda/errors.h"
#include "sda/lda_ep.h"
#include "sda/thread_pool.h"

namespace sda {
namespace {

constexpr double kTolerance = 1e-8;

// Of ep_reference.py's cases: the first 20 documents of the golden corpus.
LdaSpec CaseSpec(double eta) { return {.topics = 5, .vocabulary = 60, .alpha = {0.2}, .eta = eta}; }

EpOptions CaseOptions() {
  EpOptions options;
  options.tolerance = 0;
  options.sweeps = 6;
  options.start = EpStart::kNoise;
  return options;
}

Documents FirstDocuments() { return Slice(GoldenDocuments(), 0, 20); }

void ExpectReference(double eta, const EpOptions& options, size_t minibatch,
                     const std::vector<double>& expected, size_t number) {
  const LdaEp ep(CaseSpec(eta), options);
  const KeyedRows lambda = Fit(Cut(FirstDocuments(), minibatch), ep, LdaPrior(CaseSpec(eta)));
  EXPECT_LT(LargestRelativeError(Matrix(lambda, 60), expected), kTolerance);
  EXPECT_EQ(ep.stats().skipped_updates, golden::kEpSkipped[number]);
}

TEST(EpTest, TypeLevelUpdatesAreTheReferences) {
  ExpectReference(1, CaseOptions(), 10, golden::kEpType, 0);
}

TEST(EpTest, TokenLevelUpdatesAreTheReferences) {
  EpOptions options = CaseOptions();
  options.updates = EpUpdates::kToken;
  ExpectReference(1, options, 10, golden::kEpToken, 1);
}

TEST(EpTest, DampedUpdatesAreTheReferences) {
  EpOptions options = CaseOptions();
  options.damping = 0.3;
  ExpectReference(1, options, 10, golden::kEpDamped, 2);
}

TEST(EpTest, SkippedUpdatesAreTheReferences) {
  EpOptions options = CaseOptions();
  ExpectReference(0.01, options, 10, golden::kEpSmallEta, 3);
  options.updates = EpUpdates::kToken;
  ExpectReference(0.01, options, 10, golden::kEpSmallEtaToken, 4);
  EXPECT_GT(golden::kEpSkipped[4], 0u);
}

TEST(EpTest, SkippedDampedUpdatesAreTheReferences) {
  EpOptions options = CaseOptions();
  options.damping = 0.5;
  ExpectReference(0.01, options, 10, golden::kEpSmallEtaDamped, 5);
}

TEST(EpTest, MatchingOfLogsIsTheReferences) {
  EpOptions options = CaseOptions();
  options.matching = EpMatching::kLog;
  options.sweeps = 3;
  ExpectReference(1, options, 20, golden::kEpLog, 6);
}

TEST(EpTest, DampedMatchingOfLogsOfTokensIsTheReferences) {
  EpOptions options = CaseOptions();
  options.matching = EpMatching::kLog;
  options.updates = EpUpdates::kToken;
  options.damping = 0.5;
  options.sweeps = 3;
  ExpectReference(0.1, options, 20, golden::kEpLogDamped, 7);
}

TEST(EpTest, MatchingOfMomentsNeverRaisesWhatIsNotObserved) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::uniform_real_distribution<double> log_size(-6, 6);
  double largest = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double rest = std::exp(log_size(random));
    const double c_v = std::exp(log_size(random));
    const double words = std::exp(3 * uniform(random));  // that share the rest evenly
    const double r = uniform(random);
    const double sum = rest + c_v;
    const auto match = lda::MatchMoments(r, c_v, sum, c_v * c_v + rest * rest / words);
    // One minus the scale, without the limit that the function sets.
    largest = std::max(largest, match.entry / r * (sum + 1 - r) / sum);
    EXPECT_LE(match.scale * sum + match.entry, sum + r + 1e-9 * sum);  // nor counts more than r
  }
  EXPECT_LE(largest, 1 + 1e-12);
}

// Drives both kinds of messages by the same responsibilities, which are random.
struct Lockstep {
  double error = 0;        // largest relative difference of the cavities and of lambda
  uint64_t skipped = 0;    // updates
  uint64_t disagreed = 0;  // on what is positive

  void Compare(double a, double b, double scale) {
    const double difference = std::abs(a - b) / scale;
    if (!(difference <= error)) error = difference;
  }
};

Lockstep RunLockstep(double eta, double damping, uint64_t seed, uint64_t vocabulary = 40) {
  constexpr size_t kTopics = 3;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  const Documents documents = Generate(RandomTopics(kTopics, 25, 0.2, seed), 0.3, 12, 15, seed);
  KeyedRows prior(std::vector<double>(kTopics, eta));
  for (uint64_t word = 0; word < 30; word += 2) {
    prior.Add(word, std::vector<double>{eta * uniform(random), uniform(random), eta});
  }
  ThreadPool pool(1);
  const lda::WordIndex index(documents, vocabulary, &pool);
  std::vector<lda::EpMessage> messages;
  for (uint32_t d = 0; d < documents.size(); ++d) {
    for (uint32_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
      messages.push_back({d, index.numbers[i], i, documents.counts[i]});
    }
  }
  std::vector<double> start(documents.words.size() * kTopics);
  for (double& x : start) x = 0.1 * eta * uniform(random);
  const lda::EpProblem problem{prior, index, vocabulary, messages, start, damping};
  lda::EpHistory history(problem);
  lda::EpDense dense(problem, false);

  Lockstep result;
  std::vector<double> r(kTopics), word_a(kTopics), word_b(kTopics), sum_a(kTopics), sum_b(kTopics);
  for (int sweep = 0; sweep < 8; ++sweep) {
    history.BeginSweep();
    dense.BeginSweep();
    for (size_t i = 0; i < messages.size(); ++i) {
      const bool positive = dense.TakeOut(i, word_b.data(), sum_b.data());
      result.disagreed += history.TakeOut(i, word_a.data(), sum_a.data()) != positive;
      for (size_t k = 0; k < kTopics; ++k) {
        result.Compare(sum_a[k], sum_b[k], sum_b[k]);
        result.Compare(word_a[k], word_b[k], sum_b[k]);
        r[k] = uniform(random);
      }
      if (positive) {
        history.Replace(r.data());
        dense.Replace(r.data());
      } else {
        history.PutBack();
        dense.PutBack();
        ++result.skipped;
      }
    }
    const double change = dense.EndSweep();
    result.Compare(history.EndSweep(), change, change);
    for (uint64_t word = 0; word < vocabulary; ++word) {
      history.Row(word, word_a.data());
      dense.Row(word, word_b.data());
      for (size_t k = 0; k < kTopics; ++k) result.Compare(word_a[k], word_b[k], word_b[k]);
    }
  }
  return result;
}

TEST(EpTest, MessagesAsMultiplesOfPastTopicsAreTheDenseOnes) {
  uint64_t skipped = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    for (const double eta : {1.0, 0.1, 0.01, 0.001}) {
      for (const double damping : {0.0, 0.4}) {
        const Lockstep run = RunLockstep(eta, damping, seed);
        EXPECT_LT(run.error, 1e-9) << "eta " << eta << " seed " << seed;
        EXPECT_EQ(run.disagreed, 0u);
        skipped += run.skipped;
      }
    }
  }
  EXPECT_GT(skipped, 100u);
}

TEST(EpTest, MessagesAgreeWhereEveryWordIsInTheMinibatch) {
  EXPECT_LT(RunLockstep(0.5, 0, 1, 30).error, 1e-9);
}

// From zero, with one topic: a type-level update sets one copy of a message right and leaves n - 1,
// so that after T sweeps 1 - (1 - 1 / n)^T of the n tokens are counted.
TEST(EpTest, WithOneTopicThePosteriorIsPriorPlusCountsOfTokensAndTendsToItOfTypes) {
  for (const EpMatching matching : {EpMatching::kMoments, EpMatching::kLog}) {
    for (const EpUpdates updates : {EpUpdates::kType, EpUpdates::kToken}) {
      EpOptions options = CaseOptions();
      LdaSpec spec = CaseSpec(0.3);
      spec.topics = 1;
      options.matching = matching;
      options.updates = updates;
      options.sweeps = 3;
      KeyedRows prior = LdaPrior(spec);
      prior.Add(59, std::vector<double>{5});
      std::vector<double> expected = Matrix(prior, 60);
      const Documents documents = FirstDocuments();
      for (size_t i = 0; i < documents.words.size(); ++i) {
        const double n = documents.counts[i];
        const double left = updates == EpUpdates::kType ? std::pow(1 - 1 / n, options.sweeps) : 0;
        expected[documents.words[i]] += n * (1 - left);
      }
      const LdaEp ep(spec, options);
      EXPECT_LT(LargestRelativeError(Matrix(ep(documents, prior, 0), 60), expected), 1e-11);
      EXPECT_EQ(ep.stats().skipped_updates, 0u);
    }
  }
}

// Topics that differ, for nothing to be symmetric: K = 2, V = 4.
KeyedRows UnequalPrior(std::mt19937_64* random) {
  std::gamma_distribution<double> gamma(2, 0.5);
  KeyedRows prior(std::vector<double>{0.5, 0.5});
  for (uint64_t v = 0; v < 4; ++v)
    prior.Add(v, std::vector<double>{gamma(*random), gamma(*random)});
  return prior;
}

// E[beta_kv] given the documents, K x V, by the sum over all topics of all tokens.
std::vector<double> ExactMeans(const Documents& documents, const KeyedRows& prior, double alpha) {
  std::vector<std::pair<size_t, uint64_t>> tokens;  // document, word
  for (size_t d = 0; d < documents.size(); ++d) {
    for (uint64_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
      tokens.insert(tokens.end(), documents.counts[i], {d, documents.words[i]});
    }
  }
  std::vector<double> means(8, 0.0);
  double total = 0;
  for (uint64_t z = 0; z < uint64_t{1} << tokens.size(); ++z) {
    std::vector<double> lambda = Matrix(prior, 4);
    std::vector<double> gamma(2 * documents.size(), alpha);
    double weight = 1;
    for (size_t t = 0; t < tokens.size(); ++t) {
      const size_t k = z >> t & 1;
      const double sum = std::accumulate(lambda.begin() + 4 * k, lambda.begin() + 4 * k + 4, 0.0);
      weight *= gamma[2 * tokens[t].first + k]++ * lambda[4 * k + tokens[t].second]++ / sum;
    }
    total += weight;  // gamma's sums are the same for all z
    for (size_t i = 0; i < 8; ++i) {
      const double sum =
          std::accumulate(lambda.begin() + i / 4 * 4, lambda.begin() + i / 4 * 4 + 4, 0.0);
      means[i] += weight * lambda[i] / sum;
    }
  }
  for (double& mean : means) mean /= total;
  return means;
}

double ErrorOfMeans(const KeyedRows& posterior, const std::vector<double>& exact) {
  const std::vector<double> lambda = Matrix(posterior, 4);
  double error = 0;
  for (size_t i = 0; i < 8; ++i) {
    const double sum =
        std::accumulate(lambda.begin() + i / 4 * 4, lambda.begin() + i / 4 * 4 + 4, 0.0);
    error += std::abs(lambda[i] / sum - exact[i]) / 8;
  }
  return error;
}

TEST(EpTest, TheMeansOfOneTokenAreExactAndOfAFewCloserThanThoseOfVb) {
  std::mt19937_64 random(1);
  double ep_error = 0;
  double vb_error = 0;
  for (int i = 0; i < 50; ++i) {
    const KeyedRows prior = UnequalPrior(&random);
    LdaSpec spec = EpSpec(2, 4);
    spec.alpha = {0.5};
    EpOptions options;
    options.tolerance = 1e-10;
    options.sweeps = 30;
    const LdaEp ep(spec, options);
    Documents one;
    one.words = {static_cast<uint32_t>(i % 4)};
    one.counts = {1};
    one.offsets = {0, 1};
    EXPECT_LT(ErrorOfMeans(ep(one, prior, 0), ExactMeans(one, prior, 0.5)), 1e-12);

    VbOptions vb;
    vb.local = {.precision = Precision::kDouble, .tolerance = 1e-8, .updates = 1000};
    vb.start = LdaStart::kPrior;
    vb.outer_tolerance = 1e-8;
    vb.outer_iterations = 1000;
    const Documents few = Generate(RandomTopics(2, 4, 0.5, i + 1), 0.5, 3, 3, i + 1);
    const std::vector<double> exact = ExactMeans(few, prior, 0.5);
    ep_error += ErrorOfMeans(ep(few, prior, 0), exact) / 50;
    vb_error += ErrorOfMeans(LdaVb(spec, vb)(few, prior, 0), exact) / 50;
  }
  EXPECT_LT(ep_error, vb_error / 3);  // 0.0078 and 0.050
}

TEST(EpTest, TheFirstSweepFromZeroSkipsNothing) {
  EpOptions options = CaseOptions();
  options.sweeps = 1;
  KeyedRows prior = LdaPrior(CaseSpec(0.01));
  prior.Add(3, std::vector<double>{1, 2, 3, 4, 5});  // something was learnt: messages start at zero
  const LdaEp ep(CaseSpec(0.01), options);
  ep(FirstDocuments(), prior, 0);
  EXPECT_EQ(ep.stats().skipped_updates, 0u);
  options.sweeps = 2;
  const LdaEp again(CaseSpec(0.01), options);
  again(FirstDocuments(), prior, 0);
  EXPECT_GT(again.stats().skipped_updates, 0u);
}

TEST(EpTest, ATokenCountsAtMostOneAndAllParametersStayPositive) {
  for (const double eta : {1.0, 0.01}) {
    EpOptions options = CaseOptions();
    const LdaEp ep(CaseSpec(eta), options);
    const KeyedRows prior = LdaPrior(CaseSpec(eta));
    const KeyedRows posterior = ep(FirstDocuments(), prior, 0);
    const std::vector<double> lambda = Matrix(posterior, 60);
    const double mass = std::accumulate(lambda.begin(), lambda.end(), 0.0) - 300 * eta;
    EXPECT_LT(mass, 0.9 * Tokens(FirstDocuments()));
    EXPECT_GT(*std::min_element(lambda.begin(), lambda.end()), 0);
    EXPECT_LT(posterior.default_row()[0], eta);  // of words that the documents do not have
  }
}

TEST(EpTest, TheFirstMinibatchBreaksTheSymmetry) {
  for (const EpStart start : {EpStart::kNoise, EpStart::kSampled}) {
    EpOptions options = CaseOptions();
    options.start = start;
    const auto fit = [&](int threads) {
      return LdaEp(CaseSpec(1), options, Context(threads))(FirstDocuments(), LdaPrior(CaseSpec(1)),
                                                           0);
    };
    const KeyedRows posterior = fit(3);
    const std::vector<double> lambda = Matrix(posterior, 60);
    double distance = 0;
    for (size_t v = 0; v < 60; ++v) distance += std::abs(lambda[v] - lambda[60 + v]);
    EXPECT_GT(distance, start == EpStart::kSampled ? 20 : 0.1);
    EXPECT_EQ(fit(1).Serialize(), posterior.Serialize());
  }
}

TEST(EpTest, ALooseToleranceStopsASweepEarlyAndATightOneIsReportedAsMissed) {
  EpOptions options = CaseOptions();
  options.tolerance = 1e9;
  const LdaEp loose(CaseSpec(1), options);
  loose(FirstDocuments(), LdaPrior(CaseSpec(1)), 0);
  EXPECT_EQ(loose.stats().sweeps, 1u);
  EXPECT_EQ(loose.stats().unconverged_minibatches, 0u);
  options.tolerance = 0;
  const LdaEp tight(CaseSpec(1), options);
  tight(FirstDocuments(), LdaPrior(CaseSpec(1)), 0);
  EXPECT_EQ(tight.stats().sweeps, 6u);
  EXPECT_EQ(tight.stats().unconverged_minibatches, 1u);
  EXPECT_EQ(tight.stats().updates, 6 * FirstDocuments().words.size());
}

TEST(EpTest, EpKeepsThePromisesOfTheFramework) {
  for (const EpMatching matching : {EpMatching::kMoments, EpMatching::kLog}) {
    EpOptions options = CaseOptions();
    options.matching = matching;
    options.sweeps = 2;
    options.tolerance = 0.01;
    const LdaEp ep(CaseSpec(1), options);
    const Documents corpus = GoldenDocuments();
    Plugin<Documents, KeyedRows> plugin;
    plugin.prior = LdaPrior(CaseSpec(1));
    plugin.primitive = &ep;
    plugin.items = matching == EpMatching::kLog ? 12 : corpus.size();
    plugin.minibatch = matching == EpMatching::kLog ? 4 : 11;
    plugin.data = [&](uint64_t begin, uint64_t end) { return Slice(corpus, begin, end); };
    EXPECT_EQ(CheckPlugin(plugin), std::vector<std::string>());
  }
}

TEST(EpTest, WhatNeedsTooMuchMemoryIsLearntFromInParts) {
  EpOptions options = CaseOptions();
  const KeyedRows prior = LdaPrior(CaseSpec(1));
  const auto needed =
      static_cast<uint64_t>(EpMemory(CaseSpec(1), options, FirstDocuments(), prior));
  options.memory_bytes = needed;
  const LdaEp at_once(CaseSpec(1), options);
  at_once(FirstDocuments(), prior, 0);
  EXPECT_EQ(at_once.stats().minibatches, 1u);

  options.memory_bytes = needed - 1;
  const LdaEp in_halves(CaseSpec(1), options);
  const KeyedRows halves = in_halves(FirstDocuments(), prior, 0);
  EXPECT_EQ(in_halves.stats().minibatches, 2u);
  EXPECT_EQ(in_halves.stats().tokens, Tokens(FirstDocuments()));
  const Documents first = Slice(FirstDocuments(), 0, 10), second = Slice(FirstDocuments(), 10, 20);
  EXPECT_EQ(halves.Serialize(), at_once(second, at_once(first, prior, 0), 0).Serialize());

  // A document whose words do not fit: all of them are learnt from.
  const Documents one = Slice(FirstDocuments(), 0, 1);
  options.memory_bytes = static_cast<uint64_t>(EpMemory(CaseSpec(1), options, one, prior)) / 3;
  const LdaEp in_words(CaseSpec(1), options);
  in_words(one, prior, 0);
  EXPECT_EQ(in_words.stats().tokens, Tokens(one));
  EXPECT_GT(in_words.stats().minibatches, 2u);

  options.memory_bytes = 1;
  try {
    LdaEp(CaseSpec(1), options)(one, prior, 0);
    FAIL() << "was not refused";
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(),
                 "expectation propagation on one word may take 1 MiB, and is given 1 MiB: it needs "
                 "more memory or fewer topics");
  }
}

TEST(EpTest, TheMemoryOfMessagesDoesNotGrowWithTheVocabularyUnlessLogsAreMatched) {
  EpOptions options = CaseOptions();
  KeyedRows prior = LdaPrior(CaseSpec(1));
  const auto memory = [&](EpMatching matching, uint64_t vocabulary) {
    options.matching = matching;
    LdaSpec spec = CaseSpec(1);
    spec.vocabulary = vocabulary;
    return EpMemory(spec, options, FirstDocuments(), prior);
  };
  for (uint64_t v = 0; v < 10'000; ++v) prior.Add(v, std::vector<double>(5, 1.0));
  EXPECT_EQ(memory(EpMatching::kMoments, 1'000), memory(EpMatching::kMoments, 10'000));
  EXPECT_GT(memory(EpMatching::kLog, 10'000), 9 * memory(EpMatching::kLog, 1'000));
}

TEST(EpTest, WhatWorkersTookAwayTwiceIsRaised) {
  KeyedRows posterior(std::vector<double>{-0.5, 2});
  posterior.Add(7, std::vector<double>{1, -3});  // 0.5 and -1
  EXPECT_EQ(RaiseToPositive(2, 10, &posterior), 2u);
  EXPECT_DOUBLE_EQ(posterior.default_row()[0], 0.002);
  EXPECT_EQ(posterior.default_row()[1], 2);
  EXPECT_NEAR(posterior.At(7)[0], 0.5, 1e-15);
  EXPECT_NEAR(posterior.At(7)[1], 0.002, 1e-15);
  EXPECT_NEAR(posterior.totals()[0], 0.498, 1e-15);
  EXPECT_NEAR(posterior.totals()[1], -1.998, 1e-15);
  EXPECT_EQ(RaiseToPositive(2, 10, &posterior), 0u);
}

TEST(EpTest, APriorThatIsNotPositiveIsRaisedAndTheChangeMakesUpForIt) {
  EpOptions options = CaseOptions();
  const LdaEp ep(CaseSpec(1), options);
  KeyedRows prior(std::vector<double>(5, 1.0));
  prior.Add(3, std::vector<double>{1, 2, 3, 4, -5});
  KeyedRows sum = prior;
  sum += ep.Change(FirstDocuments(), prior, 0);
  EXPECT_EQ(ep.stats().raised_parameters, 1u);
  const std::vector<double> lambda = Matrix(sum, 60);
  EXPECT_GT(*std::min_element(lambda.begin(), lambda.end()), 0);
}

TEST(EpTest, ManyWorkersTakeMoreThanThereIsAndTheRunGoesOn) {
  EpOptions options = CaseOptions();
  RunOptions run;
  run.schedule = Schedule::kSynchronous;
  run.workers = 8;
  run.serial_first = 1;
  const LdaEp ep(CaseSpec(0.01), options);
  KeyedRows posterior = Fit(Cut(GoldenDocuments(), 4), ep, LdaPrior(CaseSpec(0.01)), run);
  EXPECT_EQ(ep.stats().documents, 80u);
  EXPECT_GT(ep.stats().raised_parameters, 0u);
  EXPECT_LT(ep.stats().skipped_updates, ep.stats().updates / 2);  // not all, for good
  RaiseToPositive(0.01, 60, &posterior);
  const std::vector<double> lambda = Matrix(posterior, 60);
  EXPECT_GT(*std::min_element(lambda.begin(), lambda.end()), 0);
}

TEST(EpTest, BadOptionsAreNamed) {
  const auto message = [](auto change) -> std::string {
    LdaSpec spec = CaseSpec(1);
    EpOptions options = CaseOptions();
    change(&spec, &options);
    try {
      LdaEp ep(spec, options);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message([](LdaSpec*, EpOptions* o) { o->damping = 1; }),
            "damping is 1, must be at least 0 and below 1");
  EXPECT_EQ(message([](LdaSpec*, EpOptions* o) { o->tolerance = -1; }),
            "tolerance is -1, must be at least 0");
  EXPECT_EQ(message([](LdaSpec*, EpOptions* o) { o->sweeps = 0; }),
            "sweeps is 0, must be between 1 and 1000");
  EXPECT_EQ(message([](LdaSpec* s, EpOptions*) { s->topics = 0; }),
            "topics is 0, must be between 1 and 2^20");
}

}  // namespace
}  // namespace sda
