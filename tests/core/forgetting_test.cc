#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/test_primitives.h"

namespace sda {
namespace {

const FunctionPrimitive<Numbers, Dense> kAddUp(AddUp);

Dense RunWithHalfLife(std::vector<Numbers> minibatches, double half_life, RunOptions options) {
  MemorySource<Numbers> source(std::move(minibatches));
  MemoryStore<Dense> store(Dense{7, 3});
  options.discount = HalfLife(half_life);
  sda::Run(source, kAddUp, store, options);
  return store.Read().params;
}

TEST(Forgetting, WhatWasLearntDecaysAndThePriorStays) {
  // 1, 2, 3, 4 with half-life 1: weights 1/8, 1/4, 1/2, 1.
  const Dense posterior = RunWithHalfLife(Counting(4), 1, {});
  EXPECT_DOUBLE_EQ(posterior[0], 7 + 1.0 / 8 + 2.0 / 4 + 3.0 / 2 + 4);
  EXPECT_DOUBLE_EQ(posterior[1], 3 + 1.0 / 8 + 1.0 / 4 + 1.0 / 2 + 1);
}

TEST(Forgetting, ThePrimitiveIsGivenTheDiscountedPrior) {
  std::vector<double> priors;
  const FunctionPrimitive<Numbers, Dense> primitive([&](const Numbers& data, const Dense& prior) {
    priors.push_back(prior[1]);
    return AddUp(data, prior);
  });
  MemorySource<Numbers> source(Counting(3));
  MemoryStore<Dense> store(Dense{0, 0});
  RunOptions options;
  options.discount = HalfLife(1);
  sda::Run(source, primitive, store, options);
  EXPECT_EQ(priors, (std::vector<double>{0, 0.5, 0.75}));
}

TEST(Forgetting, ThePaceDoesNotDependOnHowLaterItemsAreCut) {
  // 500 ones, then 500 zeros, whole or in pieces: with half-life 100 the ones count 1 / 2^5 each.
  const Numbers ones(500, 1.0);
  const Dense whole = RunWithHalfLife({ones, Numbers(500, 0.0)}, 100, {});
  std::vector<Numbers> pieces(50, Numbers(10, 0.0));
  pieces.insert(pieces.begin(), ones);
  const Dense cut = RunWithHalfLife(pieces, 100, {});
  EXPECT_NEAR(whole[0], 7 + 500 / 32.0, 1e-9);
  EXPECT_NEAR(cut[0], 7 + 500 / 32.0, 1e-9);
}

TEST(Forgetting, SmallMinibatchesWeighEveryItemByItsAge) {
  // In the limit of one item a minibatch, ones for ever have the weight 1 / (1 - 2^(-1/h)).
  const double h = 100;
  const double limit = 1 / (1 - std::exp2(-1 / h));
  const Dense one_by_one = RunWithHalfLife(std::vector<Numbers>(5000, {1.0}), h, {});
  EXPECT_NEAR(one_by_one[1], 3 + limit, 1e-9);
  const Dense by_fives = RunWithHalfLife(std::vector<Numbers>(1000, Numbers(5, 1.0)), h, {});
  EXPECT_NEAR(by_fives[1], 3 + limit, 0.02 * limit);
}

TEST(Forgetting, ASynchronousRoundIsOneUpdate) {
  // Rounds {1, 2} and {3, 4}: the first is discounted by 1/2 * 1/2.
  const Dense posterior = RunWithHalfLife(Counting(4), 1, MakeOptions(Schedule::kSynchronous, 2));
  EXPECT_DOUBLE_EQ(posterior[0], 7 + (1 + 2) / 4.0 + 3 + 4);
}

TEST(Forgetting, AsynchronousWithOneWorkerIsSerial) {
  EXPECT_EQ(RunWithHalfLife(Counting(20), 3, {}),
            RunWithHalfLife(Counting(20), 3, MakeOptions(Schedule::kAsynchronous, 1)));
}

TEST(Forgetting, WorksForKeyedRowsWithPartialSnapshots) {
  const KeyedRows prior(std::vector<double>{0.5});
  class CountKeys : public Primitive<Numbers, KeyedRows> {
   public:
    KeyedRows operator()(const Numbers& data, const KeyedRows& p, uint64_t) const override {
      KeyedRows posterior = p;
      for (const double key : data) posterior.Add(static_cast<uint64_t>(key), std::vector{1.0});
      return posterior;
    }
    KeyedRows::Selection Touches(const Numbers& data) const override {
      return {.everything = false, .keys = {data.begin(), data.end()}};
    }
  };
  MemorySource<Numbers> source({{1}, {2}, {1}});
  MemoryStore<KeyedRows> store(prior);
  RunOptions options;
  options.discount = HalfLife(1);
  sda::Run(source, CountKeys(), store, options);
  const KeyedRows posterior = store.Read().params;
  EXPECT_DOUBLE_EQ(posterior.At(1)[0], 0.5 + 0.25 + 1);
  EXPECT_DOUBLE_EQ(posterior.At(2)[0], 0.5 + 0.5);
  EXPECT_DOUBLE_EQ(posterior.At(3)[0], 0.5);
  EXPECT_DOUBLE_EQ(posterior.totals()[0], 1.75);
}

TEST(Forgetting, BadDiscountsAreRefused) {
  EXPECT_THROW(HalfLife(0), UsageError);
  EXPECT_THROW(HalfLife(-1), UsageError);
  EXPECT_THROW(HalfLife(std::nan("")), UsageError);
  MemorySource<Numbers> source(Counting(2));
  MemoryStore<Dense> store(Dense{0, 0});
  RunOptions options;
  for (const Schedule schedule :
       {Schedule::kSerial, Schedule::kSynchronous, Schedule::kAsynchronous}) {
    for (const double bad : {1.5, -0.1, std::nan("")}) {
      options = MakeOptions(schedule, schedule == Schedule::kSerial ? 1 : 2);
      options.worker_prior = WorkerPrior::kFixedPrior;
      options.discount = [=](uint64_t, uint64_t) { return bad; };
      source.Resume("0", {});
      EXPECT_THROW(sda::Run(source, kAddUp, store, options), RunError);
    }
    options.discount = [](uint64_t, uint64_t) -> double { throw std::runtime_error("no"); };
    source.Resume("0", {});
    EXPECT_THROW(sda::Run(source, kAddUp, store, options), RunError);
  }
  EXPECT_EQ(store.Read().params, (Dense{0, 0}));
}

TEST(Forgetting, ARoundThatBeginsWithADuplicateIsStillDiscounted) {
  MemoryStore<Dense> store(Dense{0, 0});
  store.Add({0, Dense{64, 1}});  // minibatch 0 is in the posterior already
  MemorySource<Numbers> source(Counting(2));
  RunOptions options = MakeOptions(Schedule::kSynchronous, 2);
  options.discount = HalfLife(1);
  const Summary summary = sda::Run(source, kAddUp, store, options);
  EXPECT_EQ(summary.duplicates, 1u);
  EXPECT_EQ(store.Read().params, (Dense{32 + 2, 1.5}));
}

}  // namespace
}  // namespace sda
