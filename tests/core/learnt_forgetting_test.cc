#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <string>

#include "sda/sda.h"
#include "tests/core/test_primitives.h"

namespace sda {
namespace {

constexpr size_t kRows = 100;  // of a minibatch
const Normal kModel({"x"});

// Minibatches of a normal variable of deviation 1, the mean of which is 0, and 3 from the minibatch
// `change` on.
std::vector<Table> MakeRows(size_t minibatches, size_t change, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Table> made(minibatches);
  for (size_t i = 0; i < minibatches; ++i) {
    for (size_t r = 0; r < kRows; ++r) made[i].values.push_back(normal(random) + 3 * (i >= change));
  }
  return made;
}

std::vector<Table> Unchanging(size_t minibatches, uint64_t seed) {
  return MakeRows(minibatches, minibatches, seed);
}

using Learning = ForgettingStore<Dense>;

Summary LearnFrom(std::vector<Table> minibatches, RunOptions options, Learning* store) {
  options.discount = store->discount();
  MemorySource<Table> source(std::move(minibatches));
  const auto weigher = [store](const Minibatch<Table>& minibatch) -> std::vector<double> {
    const auto now = store->ReadRates({});
    if (!now.learnt) return {};
    std::vector<std::vector<double>> scores;
    for (const Dense& params : now.by_rate) {
      scores.push_back(kModel.LogPredictive(params, minibatch.data));
    }
    return EvidenceOf(scores);
  };
  return sda::Run<Table, Dense>(source, kModel, *store, options, {}, Context(1), {}, weigher);
}

Learning NewStore(double items_per_round = kRows) {
  return Learning(kModel.Prior(), ForgettingRates(items_per_round), Context(1));
}

double MeanOf(const Learning& store) { return kModel.Describe(store.Read().params)[0].mean; }

TEST(LearntForgetting, WithoutDriftNearlyAllIsKept) {
  for (const uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    Learning store = NewStore();
    LearnFrom(Unchanging(300, seed), {}, &store);
    EXPECT_GT(store.rates().effective(), 0.9 * 300 * kRows) << seed;
    EXPECT_TRUE(store.rates().history().change_points.empty()) << seed;
  }
}

TEST(LearntForgetting, AChangeIsAFallWhereItHappens) {
  for (const uint64_t seed : {1, 2, 3, 4}) {
    Learning store = NewStore();
    LearnFrom(MakeRows(110, 100, seed), {}, &store);
    const ForgettingHistory history = store.rates().history();
    ASSERT_EQ(history.change_points.size(), 1u) << seed;
    EXPECT_GE(history.change_points[0].items, 100 * kRows) << seed;
    EXPECT_LE(history.change_points[0].items, 102 * kRows) << seed;
    EXPECT_LT(history.change_points[0].kept, 0.3) << seed;
    EXPECT_GT(history.points[90].effective, 0.9 * 91 * kRows) << seed;
    EXPECT_NEAR(MeanOf(store), 3, 0.25) << seed;  // of all rows it is 0.27
  }
}

TEST(LearntForgetting, AfterAChangeMoreAndMoreIsKeptAgain) {
  Learning store = NewStore();
  LearnFrom(MakeRows(400, 100, 1), {}, &store);
  const ForgettingHistory history = store.rates().history();
  EXPECT_LT(history.points[105].effective, 5 * kRows);
  EXPECT_GT(history.points.back().effective, 15 * kRows);
  EXPECT_NEAR(MeanOf(store), 3, 0.1);
  EXPECT_EQ(history.change_points.size(), 1u);
}

TEST(LearntForgetting, WithoutEvidenceNothingIsForgotten) {
  Learning store = NewStore();
  MemoryStore<Dense> plain(kModel.Prior());
  for (Store<Dense>* each :
       {static_cast<Store<Dense>*>(&store), static_cast<Store<Dense>*>(&plain)}) {
    MemorySource<Table> source(MakeRows(20, 10, 1));
    sda::Run<Table, Dense>(source, kModel, *each, {});
  }
  EXPECT_EQ(store.Read().params, plain.Read().params);
  EXPECT_EQ(store.rates().half_life(), std::numeric_limits<double>::infinity());
}

TEST(LearntForgetting, ARateThatIsCertainIsAFixedHalfLife) {
  // The evidence always is that the third rate is right.
  Learning store = NewStore();
  MemoryStore<Dense> fixed(kModel.Prior());
  std::vector<Dense> priors[2];
  const std::vector<Table> minibatches = MakeRows(20, 10, 1);
  for (const bool learnt : {true, false}) {
    const FunctionPrimitive<Table, Dense> primitive([&](const Table& rows, const Dense& prior) {
      priors[learnt ? 0 : 1].push_back(prior);
      return kModel(rows, prior, 0);
    });
    MemorySource<Table> source(minibatches);
    RunOptions options;
    options.discount = learnt ? store.discount() : HalfLife(16 * kRows);
    const auto weigher = [](const Minibatch<Table>&) {
      return std::vector<double>{-100, -100, 0, -100, -100};
    };
    Store<Dense>& into = learnt ? static_cast<Store<Dense>&>(store) : fixed;
    sda::Run<Table, Dense>(source, primitive, into, options, {}, Context(1), {}, weigher);
  }
  EXPECT_DOUBLE_EQ(store.rates().half_life(), 16 * kRows);
  EXPECT_LT(MaxRelativeDifference(store.Read().params, fixed.Read().params), 1e-12);
  ASSERT_EQ(priors[0].size(), 20u);
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_LT(MaxRelativeDifference(priors[0][i], priors[1][i]), 1e-12) << i;
  }
}

TEST(LearntForgetting, EightWorkersOfARoundApplyAChangeOnce) {
  // The same rows in the same rounds: of one worker, and of eight that all see the same stale past.
  const std::vector<Table> parts = MakeRows(320, 160, 3);
  std::vector<Table> rounds(40);
  for (size_t i = 0; i < parts.size(); ++i) {
    auto& values = rounds[i / 8].values;
    values.insert(values.end(), parts[i].values.begin(), parts[i].values.end());
  }
  Learning one = NewStore(8 * kRows), eight = NewStore(8 * kRows);
  LearnFrom(rounds, {}, &one);
  RunOptions options;
  options.schedule = Schedule::kSynchronous;
  options.workers = 8;
  LearnFrom(parts, options, &eight);
  const auto a = one.rates().history(), b = eight.rates().history();
  ASSERT_EQ(a.points.size(), b.points.size());
  for (size_t i = 0; i < a.points.size(); ++i) {
    EXPECT_EQ(a.points[i].items, b.points[i].items);
    EXPECT_NEAR(a.points[i].effective, b.points[i].effective, 0.2 * a.points[i].effective) << i;
  }
  ASSERT_EQ(a.change_points.size(), 1u);
  ASSERT_EQ(b.change_points.size(), 1u);
  EXPECT_EQ(a.change_points[0].items, b.change_points[0].items);
  EXPECT_NEAR(MeanOf(one), MeanOf(eight), 0.1);
}

TEST(LearntForgetting, AsynchronousWorkersFindTheSameChange) {
  RunOptions options;
  options.schedule = Schedule::kAsynchronous;
  options.workers = 8;
  Learning store = NewStore(8 * kRows);
  LearnFrom(MakeRows(320, 160, 3), options, &store);
  const auto changes = store.rates().history().change_points;
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_NEAR(static_cast<double>(changes[0].items), 160 * kRows, 24 * kRows);
  EXPECT_NEAR(MeanOf(store), 3, 0.1);
}

TEST(LearntForgetting, ARunThatResumesFromACheckpointGoesOnBitForBit) {
  const std::vector<Table> all = MakeRows(60, 35, 5);
  for (const size_t cut : {1, 20, 36, 59}) {
    Learning whole = NewStore(2.5 * kRows);  // so that a round is under way
    LearnFrom(all, {}, &whole);

    const std::string folder = ::testing::TempDir() + "/sda_learnt_forgetting";
    std::filesystem::remove_all(folder);
    {
      Learning first = NewStore(2.5 * kRows);
      LearnFrom({all.begin(), all.begin() + cut}, {}, &first);
      CheckpointFolder checkpoints(folder);
      Progress progress;
      progress.before = first.Read().counts;
      CopyPosterior(first).write(checkpoints, progress, "");
    }
    CheckpointFolder checkpoints(folder);
    std::vector<std::string> damage;
    const auto checkpoint = checkpoints.LoadLast(&damage);
    ASSERT_TRUE(checkpoint);
    Learning second(kModel.Prior(), ForgettingRates(1), Context(1));
    const Snapshot<Dense> loaded = checkpoint->Posterior<Dense>();
    second.Restore(loaded);
    EXPECT_EQ(second.Read().params, loaded.params);
    LearnFrom(all, {}, &second);  // what is in the posterior already is skipped
    EXPECT_EQ(second.Read().params, whole.Read().params) << cut;
    EXPECT_EQ(second.rates().Serialize(), whole.rates().Serialize()) << cut;
    std::filesystem::remove_all(folder);
  }
}

TEST(LearntForgetting, ADeltaThatComesTwiceCountsOnce) {
  Learning store = NewStore();
  LearnFrom(MakeRows(30, 20, 1), {}, &store);
  const std::string before = store.rates().Serialize();
  EXPECT_EQ(LearnFrom(MakeRows(30, 20, 1), {}, &store).duplicates, 30u);
  EXPECT_EQ(store.rates().Serialize(), before);
}

TEST(LearntForgetting, AModelThatIsContinuedStartsWithAllOfIt) {
  Learning first = NewStore();
  LearnFrom(Unchanging(50, 1), {}, &first);
  Learning second = NewStore();
  second.Restore(first.Read());
  EXPECT_EQ(second.Read().params, first.Read().params);
  EXPECT_EQ(second.rates().effective(), 50 * kRows);
}

TEST(LearntForgetting, TheHistoryOfALongStreamIsBounded) {
  ForgettingRates rates(10);
  for (int i = 0; i < 50'000; ++i) rates.Fold({}, 10);
  EXPECT_LE(rates.history().points.size(), 1000u);
  EXPECT_GT(rates.history().points.size(), 400u);
  EXPECT_EQ(rates.history().points.back().items, 500'000u);
  for (size_t i = 1; i < rates.history().points.size(); ++i) {
    EXPECT_LT(rates.history().points[i - 1].items, rates.history().points[i].items);
  }
}

TEST(Evidence, OneItemThatNothingPredictsIsNotAChange) {
  // Nine items that prefer the first rate a little, and an outlier.
  std::vector<std::vector<double>> scores(2, std::vector<double>(10, -1.0));
  for (size_t i = 0; i < 9; ++i) scores[1][i] = -1.5;
  scores[0][9] = -1000;
  const std::vector<double> evidence = EvidenceOf(scores);
  EXPECT_GT(evidence[0], evidence[1]);
}

TEST(Evidence, WhatIsImpossibleOrUnknownDoesNotCount) {
  const double never = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(EvidenceOf({{never, -1, std::nan("")}, {-1, -2, -1}}), (std::vector<double>{0, -1}));
}

TEST(LearntForgetting, BadStatesAreRefused) {
  EXPECT_THROW(ForgettingRates(0), UsageError);
  EXPECT_THROW(ForgettingRates(std::nan("")), UsageError);
  EXPECT_THROW(ForgettingRates::Deserialize("{}"), InputError);
  EXPECT_THROW(ForgettingRates::Deserialize("nonsense"), InputError);
  std::string text = ForgettingRates(10).Serialize();
  EXPECT_EQ(ForgettingRates::Deserialize(text).Serialize(), text);
  const std::string odds = "\"log_odds\":[0.0,";
  ASSERT_NE(text.find(odds), std::string::npos);
  text.replace(text.find(odds), odds.size(), "\"log_odds\":[");
  EXPECT_THROW(ForgettingRates::Deserialize(text), InputError);
}

}  // namespace
}  // namespace sda
