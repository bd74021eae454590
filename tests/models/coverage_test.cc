// Do 95% intervals hold the truth 95 times in 100? The truth is drawn from the prior and the data
// from the truth, so the share of intervals that hold it must be 0.95 for any model. Streamed
// in 20 minibatches through 4 asynchronous workers that start from the fixed prior.

#include <gtest/gtest.h>

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
