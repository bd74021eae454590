// Do 95% intervals hold the truth 95 times in 100? The truth is drawn from the prior and the data
// from the truth, so the share of intervals that hold it must be 0.95 for any model. Streamed
// in 20 minibatches through 4 asynchronous workers that start from the fixed prior.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "sda/sda.h"

namespace sda {
namespace {

constexpr int kDataSets = 2000;
constexpr size_t kMinibatches = 20;

struct Simulated {
  Table data;
  std::map<std::string, double> truth;
};

// Fits `simulate(random)` many times and checks the coverage of every parameter of the truth.
template <class Params>
void ExpectCoverage(const ConjugateModel<Params>& model,
                    const std::function<Simulated(std::mt19937_64&)>& simulate) {
  RunOptions options;
  options.schedule = Schedule::kAsynchronous;
  options.worker_prior = WorkerPrior::kFixedPrior;
  options.workers = 4;
  std::map<std::string, int> inside;
  std::map<std::string, int> seen;
  std::mt19937_64 random(20130725);
  for (int i = 0; i < kDataSets; ++i) {
    const Simulated simulated = simulate(random);
    MemorySource<Table> source(Split(simulated.data, simulated.data.size() / kMinibatches));
    MemoryStore<Params> store(model.Prior());
    ASSERT_EQ(sda::Run(source, model, store, options).minibatches, kMinibatches);
    for (const Estimate& e : model.Describe(store.Read().params)) {
      const auto truth = simulated.truth.find(e.name);
      if (truth == simulated.truth.end()) continue;
      ++seen[e.name];
      if (e.lower <= truth->second && truth->second <= e.upper) ++inside[e.name];
    }
  }
  EXPECT_FALSE(seen.empty());
  for (const auto& [name, times] : seen) {
    const double coverage = static_cast<double>(inside[name]) / times;
    EXPECT_GE(times, kDataSets * 9 / 10) << name;
    EXPECT_GE(coverage, 0.935) << name;
    EXPECT_LE(coverage, 0.965) << name;
  }
}

double DrawGamma(double shape, double rate, std::mt19937_64& random) {
  return std::gamma_distribution<double>(shape, 1 / rate)(random);
}
double DrawNormal(double mean, double sd, std::mt19937_64& random) {
  return std::normal_distribution<double>(mean, sd)(random);
}

TEST(Coverage, Coin) {
  ExpectCoverage<Dense>(Coin({"x"}, {.heads = 2, .tails = 3}), [](std::mt19937_64& random) {
    const double heads = DrawGamma(2, 1, random);
    const double p = heads / (heads + DrawGamma(3, 1, random));
    Table data{1, {}};
    for (int i = 0; i < 60; ++i) data.values.push_back(std::bernoulli_distribution(p)(random));
    return Simulated{data, {{"probability[x]", p}}};
  });
}

TEST(Coverage, Categorical) {
  // All categories must be seen for the prior over those seen to be the one drawn from.
  ExpectCoverage<KeyedRows>(Categorical({"x"}, {.concentration = 5}), [](std::mt19937_64& random) {
    std::vector<double> weights(3);
    double sum = 0;
    for (double& w : weights) sum += w = DrawGamma(5, 1, random);
    Table data{1, {}};
    std::discrete_distribution<int> draw(weights.begin(), weights.end());
    for (int i = 0; i < 200; ++i) data.values.push_back(draw(random));
    Simulated simulated{data, {}};
    for (int k = 0; k < 3; ++k) {
      simulated.truth["share[x=" + std::to_string(k) + "]"] = weights[k] / sum;
    }
    return simulated;
  });
}

TEST(Coverage, Normal) {
  ExpectCoverage<Dense>(
      Normal({"x"}, {.mean = 5, .weight = 0.5, .shape = 3, .rate = 2}),
      [](std::mt19937_64& random) {
        const double precision = DrawGamma(3, 2, random);
        const double m = DrawNormal(5, 1 / std::sqrt(0.5 * precision), random);
        const double sd = 1 / std::sqrt(precision);
        Table data{1, {}};
        for (int i = 0; i < 40; ++i) {
          data.values.push_back(DrawNormal(m, sd, random));
        }
        return Simulated{data, {{"mean[x]", m}, {"precision[x]", precision}, {"sd[x]", sd}}};
      });
}

TEST(Coverage, Poisson) {
  ExpectCoverage<Dense>(Poisson({"x"}, {.shape = 4, .rate = 2}), [](std::mt19937_64& random) {
    const double rate = DrawGamma(4, 2, random);
    Table data{1, {}};
    std::poisson_distribution<int> draw(rate);
    for (int i = 0; i < 40; ++i) data.values.push_back(draw(random));
    return Simulated{data, {{"rate[x]", rate}}};
  });
}

TEST(Coverage, Linear) {
  // The intercept's prior is flat, so any value is a fair truth.
  ExpectCoverage<
      Dense>(Linear({"u", "v"}, {.precision = 0.25, .shape = 3, .rate = 2}), [](std::mt19937_64&
                                                                                    random) {
    const double precision = DrawGamma(3, 2, random);
    const double sd = 1 / std::sqrt(precision);
    const double a = 7;
    const double b = DrawNormal(0, sd / 0.5, random);
    const double c = DrawNormal(0, sd / 0.5, random);
    Table data{3, {}};
    for (int i = 0; i < 60; ++i) {
      const double u = DrawNormal(1, 1, random);
      const double v = DrawNormal(0, 3, random);
      data.values.insert(data.values.end(), {u, v, DrawNormal(a + b * u + c * v, sd, random)});
    }
    return Simulated{data, {{"intercept", a}, {"coef[u]", b}, {"coef[v]", c}, {"noise_sd", sd}}};
  });
}

// The mean of rows of sd 1 that walks at random, or stays, followed with a half-life.
double CoverageOfTheWalk(double step, double half_life) {
  const Normal model({"x"});
  RunOptions options;
  options.discount = HalfLife(half_life);
  std::mt19937_64 random(11);
  int inside = 0;
  constexpr int kWalks = 1000;
  for (int set = 0; set < kWalks; ++set) {
    double mean = 0;
    std::vector<Table> minibatches;
    for (int i = 0; i < 150; ++i) {
      Table rows{1, {}};
      for (int j = 0; j < 4; ++j) {
        mean += DrawNormal(0, 1, random) * step;
        rows.values.push_back(DrawNormal(mean, 1, random));
      }
      minibatches.push_back(rows);
    }
    MemorySource<Table> source(minibatches);
    MemoryStore<Dense> store(model.Prior());
    sda::Run(source, model, store, options);
    const Estimate e = model.Describe(store.Read().params)[0];
    inside += e.lower <= mean && mean <= e.upper;
  }
  return static_cast<double>(inside) / kWalks;
}

// The interval is that of the Kalman filter of the walk for which this half-life is the best one:
// its gain is g = ln 2 / h, its variance g sd^2, and the walk's steps have the variance g^2 sd^2.
TEST(Coverage, ForgettingIsRightForTheDriftThatTheHalfLifeIsFor) {
  const double half_life = 80;
  EXPECT_NEAR(CoverageOfTheWalk(std::log(2.0) / half_life, half_life), 0.95, 0.02);
  EXPECT_GT(CoverageOfTheWalk(0, half_life), 0.985) << "wider by sqrt(2) where nothing drifts";
}

// Components 3 standard deviations apart, without order: the first is that with the lower mean.
Simulated Overlapping(std::mt19937_64& random) {
  Table data{1, {}};
  for (int i = 0; i < 5000; ++i) {
    const bool second = std::bernoulli_distribution(0.45)(random);
    data.values.push_back(DrawNormal(second ? 1.5 : -1.5, 1, random));
  }
  return {data, {{"weight", 0.55}, {"mean", -1.5}, {"sd", 1}}};
}

// Over the three parameters of both components of each of 100 sets; the standard error of the
// average is about 0.016, since those of a set go together.
double CoverageOfTheMixture(size_t first, const RunOptions& options) {
  constexpr int kSets = 100;
  std::mt19937_64 random(17);
  int inside = 0;
  for (int set = 0; set < kSets; ++set) {
    const Simulated simulated = Overlapping(random);
    const Mixture model({"x"}, {.components = 2, .seed = static_cast<uint64_t>(set) + 1});
    std::vector<Table> minibatches;
    for (size_t i = 0; i < 5000; i += i == 0 ? first : 250) {
      const size_t n = i == 0 ? first : 250;
      minibatches.push_back({1,
                             {simulated.data.values.begin() + i,
                              simulated.data.values.begin() + std::min<size_t>(i + n, 5000)}});
    }
    MemorySource<Table> source(minibatches);
    MemoryStore<Dense> store(model.Prior());
    sda::Run(source, model, store, options);
    std::map<std::string, Estimate> found;
    for (const Estimate& e : model.Describe(store.Read().params)) found[e.name] = e;
    const std::string lower = found["mean[1,x]"].mean < found["mean[2,x]"].mean ? "[1" : "[2";
    for (const auto& [name, truth] : simulated.truth) {
      const Estimate& e = found[name + lower + (name == "weight" ? "]" : ",x]")];
      inside += e.lower <= truth && truth <= e.upper;
    }
  }
  return inside / (3.0 * kSets);
}

TEST(Coverage, ComponentsOfAMixtureThatOverlap) {
  EXPECT_NEAR(CoverageOfTheMixture(5000, {}), 0.95, 0.03) << "one minibatch";
}

TEST(Coverage, ComponentsOfAMixtureThatOverlapStreamed) {
  EXPECT_NEAR(CoverageOfTheMixture(1000, {}), 0.94, 0.035);
  RunOptions workers{.schedule = Schedule::kSynchronous, .workers = 8, .serial_first = 1};
  EXPECT_NEAR(CoverageOfTheMixture(1000, workers), 0.94, 0.035) << "8 workers";
}

TEST(Coverage, PredictionsOfTheRegression) {
  const Linear model({"u"});
  std::mt19937_64 random(7);
  int inside = 0;
  for (int i = 0; i < kDataSets; ++i) {
    Table data{2, {}};
    auto draw_y = [&](double u) { return DrawNormal(3 - 2 * u, 0.7, random); };
    for (int j = 0; j < 20; ++j) {
      const double u = DrawNormal(0, 1, random);
      data.values.insert(data.values.end(), {u, draw_y(u)});
    }
    const double u = DrawNormal(0, 2, random);
    const Estimate e = model.Predict(model(data, model.Prior(), 0), {1, {u}})[0];
    const double y = draw_y(u);
    inside += e.lower <= y && y <= e.upper;
  }
  EXPECT_NEAR(static_cast<double>(inside) / kDataSets, 0.95, 0.015);
}

}  // namespace
}  // namespace sda
