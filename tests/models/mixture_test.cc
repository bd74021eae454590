#include "sda/mixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <random>

#include "models/mixture_vb.h"
#include "sda/checker.h"
#include "sda/loop.h"

namespace sda {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Six clusters of two columns, standard deviation 0.1 and at least 1 apart.
constexpr double kCentres[6][2] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 1}, {0.5, 1}, {2, 0.5}};

Table SixClusters(uint64_t begin, uint64_t end, uint64_t seed) {
  Table table{2, {}};
  for (uint64_t i = begin; i < end; ++i) {
    std::mt19937_64 random(seed * 1000003 + i);
    random.discard(3);
    const auto& centre = kCentres[std::uniform_int_distribution<int>(0, 5)(random)];
    for (const double at : centre) {
      table.values.push_back(std::normal_distribution<double>(at, 0.1)(random));
    }
  }
  return table;
}

Estimate Named(const std::vector<Estimate>& estimates, const std::string& name) {
  for (const Estimate& e : estimates) {
    if (e.name == name) return e;
  }
  ADD_FAILURE() << "no estimate " << name;
  return {};
}

MixtureOptions WithComponents(size_t components, uint64_t seed = 1) {
  MixtureOptions options;
  options.components = components;
  options.seed = seed;
  return options;
}

TEST(Mixture, EightAsynchronousWorkersFindAllSixClustersInTwentyOfTwentySeeds) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Mixture model({"x", "y"}, WithComponents(6, seed));
    std::vector<Table> minibatches = {SixClusters(0, 300, seed)};
    for (uint64_t i = 300; i < 2300; i += 125) {
      minibatches.push_back(SixClusters(i, i + 125, seed));
    }
    MemorySource<Table> source(minibatches);
    MemoryStore<Dense> store(model.Prior());
    sda::Run(source, model, store,
             {.schedule = Schedule::kAsynchronous, .workers = 8, .serial_first = 1});
    const auto estimates = model.Describe(store.Read().params);
    for (const auto& centre : kCentres) {
      int found = 0;
      for (int k = 1; k <= 6; ++k) {
        const std::string number = std::to_string(k);
        found += std::abs(Named(estimates, "mean[" + number + ",x]").mean - centre[0]) < 0.05 &&
                 std::abs(Named(estimates, "mean[" + number + ",y]").mean - centre[1]) < 0.05 &&
                 std::abs(Named(estimates, "weight[" + number + "]").mean - 1.0 / 6) < 0.04 &&
                 std::abs(Named(estimates, "sd[" + number + ",x]").mean - 0.1) < 0.02;
      }
      EXPECT_EQ(found, 1) << "seed " << seed << ", centre " << centre[0] << " " << centre[1];
    }
  }
}

MatrixXd Columns(const Table& table) {
  MatrixXd x(table.columns, table.size());
  for (size_t i = 0; i < table.size(); ++i) {
    for (size_t c = 0; c < table.columns; ++c) x(c, i) = table.row(i)[c];
  }
  return x;
}

std::vector<ComponentSums> PriorSums(size_t components, Eigen::Index p, double variance) {
  return std::vector<ComponentSums>(components,
                                    {0, VectorXd::Zero(p), variance * MatrixXd::Identity(p, p)});
}

std::vector<ComponentSums> Sum(std::vector<ComponentSums> sums,
                               const std::vector<ComponentSums>& change) {
  for (size_t k = 0; k < sums.size(); ++k) {
    sums[k].rows += change[k].rows;
    sums[k].sum += change[k].sum;
    sums[k].square += change[k].square;
  }
  return sums;
}

// Where the responsibilities of earlier rows stay as they were.
TEST(Mixture, TheBoundNeverDecreases) {
  for (const size_t components : {2, 4, 9}) {
    MixtureOptions options = WithComponents(components);
    options.tolerance = 1e-12;
    MixtureState posterior{PriorSums(components, 2, 0.09), {}};
    for (uint64_t minibatch = 0; minibatch < 3; ++minibatch) {
      std::vector<double> bounds;
      posterior.sums =
          Sum(posterior.sums,
              FitMixture(Columns(SixClusters(100 * minibatch, 100 * minibatch + 100, 3)), posterior,
                         options, &bounds)
                  .sums);
      ASSERT_GT(bounds.size(), 1u);
      for (size_t i = 1; i < bounds.size(); ++i) {
        EXPECT_GE(bounds[i], bounds[i - 1] - 1e-9 * std::abs(bounds[i]));
      }
    }
  }
}

// With one component variational Bayes is exact, and the bound is the evidence: the product of the
// Student densities of each row given those before, in one dimension and with the textbook's
// parameters.
TEST(Mixture, WithOneComponentTheBoundIsTheEvidence) {
  MixtureOptions options = WithComponents(1);
  const std::vector<double> rows = {0.3, -1.2, 0.8, 2.1, 0.4};
  std::vector<double> bounds;
  FitMixture(Columns({1, rows}), {PriorSums(1, 1, 0.09), {}}, options, &bounds);

  double strength = options.weight;
  double mean = 0;
  double shape = 3 / 2.0;  // columns + 2 degrees of freedom
  double rate = 0.09 / 2;
  double log_evidence = 0;
  for (const double x : rows) {
    const double scale = std::sqrt(rate * (strength + 1) / (shape * strength));
    const double t = (x - mean) / scale;
    log_evidence += std::lgamma(shape + 0.5) - std::lgamma(shape) -
                    0.5 * std::log(2 * shape * std::acos(-1.0)) - std::log(scale) -
                    (shape + 0.5) * std::log1p(t * t / (2 * shape));
    rate += strength * (x - mean) * (x - mean) / (2 * (strength + 1));
    mean = (strength * mean + x) / (strength + 1);
    strength += 1;
    shape += 0.5;
  }
  EXPECT_NEAR(bounds.back(), log_evidence, 1e-9);
}

// With two components: the bound's definition, E_q[log p(x, z, parameters) - log q], over draws of
// the parameters from q, in one dimension.
TEST(Mixture, TheBoundIsItsDefinition) {
  MixtureOptions options = WithComponents(2);
  options.tolerance = 1e-12;
  const std::vector<double> rows = {0.3, -1.2, 0.8, 2.1, 0.4, -1.4, -0.9, 2.3};
  std::vector<double> bounds;
  const auto prior = PriorSums(2, 1, 0.5);
  const auto sums = Sum(prior, FitMixture(Columns({1, rows}), {prior, {}}, options, &bounds).sums);

  using boost::math::beta_distribution;
  using boost::math::gamma_distribution;
  using boost::math::normal;
  constexpr int kDraws = 40000;
  std::mt19937_64 random(5);
  const ComponentPosterior q[] = {PosteriorOf(sums[0], options), PosteriorOf(sums[1], options)};
  const ComponentPosterior p0 = PosteriorOf(prior[0], options);
  std::vector<double> expected[2] = {std::vector<double>(rows.size()),
                                     std::vector<double>(rows.size())};
  double divergence = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const double g0 = std::gamma_distribution<double>(q[0].concentration, 1)(random);
    const double g1 = std::gamma_distribution<double>(q[1].concentration, 1)(random);
    const double share = g0 / (g0 + g1);
    divergence += std::log(pdf(beta_distribution<>(q[0].concentration, q[1].concentration), share) /
                           pdf(beta_distribution<>(1, 1), share)) /
                  kDraws;
    for (int k = 0; k < 2; ++k) {
      const double shape = q[k].dof / 2;
      const double scale = 2 / q[k].scatter(0, 0);
      const double precision = std::gamma_distribution<double>(shape, scale)(random);
      const double sd = 1 / std::sqrt(q[k].strength * precision);
      const double mean = std::normal_distribution<double>(q[k].mean(0), sd)(random);
      divergence +=
          std::log(pdf(gamma_distribution<>(shape, scale), precision) /
                   pdf(gamma_distribution<>(p0.dof / 2, 2 / p0.scatter(0, 0)), precision) *
                   pdf(normal(q[k].mean(0), sd), mean) /
                   pdf(normal(0, 1 / std::sqrt(p0.strength * precision)), mean)) /
          kDraws;
      for (size_t i = 0; i < rows.size(); ++i) {
        const double d = rows[i] - mean;
        expected[k][i] +=
            (std::log(k == 0 ? share : 1 - share) +
             0.5 * std::log(precision / (2 * std::acos(-1.0))) - 0.5 * precision * d * d) /
            kDraws;
      }
    }
  }
  double bound = -divergence;
  for (size_t i = 0; i < rows.size(); ++i) {
    bound += std::log(std::exp(expected[0][i]) + std::exp(expected[1][i]));
  }
  EXPECT_NEAR(bounds.back(), bound, 0.05);
}

TEST(Mixture, KeepsThePromisesOfTheFrameworkThatAnApproximationCan) {
  const Mixture model({"x", "y"}, WithComponents(3));
  Plugin<Table, Dense> plugin{model.Prior(), &model, [](uint64_t begin, uint64_t end) {
                                return SixClusters(begin, end, 1);
                              }};
  plugin.items = 300;
  EXPECT_THAT(CheckPlugin(plugin), ::testing::IsEmpty());
}

TEST(Mixture, EveryRowIsCountedOnce) {
  const Mixture model({"x", "y"}, WithComponents(4));
  MemorySource<Table> source(Split(SixClusters(0, 1000, 2), 100));
  MemoryStore<Dense> store(model.Prior());
  sda::Run(source, model, store,
           {.schedule = Schedule::kAsynchronous, .workers = 4, .serial_first = 1});
  const Dense posterior = store.Read().params;
  double rows = 0;
  for (size_t k = 0; k < 4; ++k) rows += posterior[k * 6];
  EXPECT_NEAR(rows, 1000, 1e-9);
}

TEST(Mixture, ResponsibilitiesAreThoseOfTheNearestCluster) {
  const Mixture model({"x", "y"}, WithComponents(6));
  const Dense posterior = model(SixClusters(0, 1000, 4), model.Prior(), 0);
  const Table r = model.Responsibilities(posterior, {2, {1, -1, 0.5, 1}});
  ASSERT_EQ(r.size(), 2u);
  const auto estimates = model.Describe(posterior);
  for (size_t i = 0; i < 2; ++i) {
    const auto row = r.row(i);
    const size_t best = std::max_element(row.begin(), row.end()) - row.begin();
    EXPECT_GT(row[best], 0.999);
    EXPECT_NEAR(Named(estimates, "mean[" + std::to_string(best + 1) + ",y]").mean, i == 0 ? -1 : 1,
                0.05);
  }
}

TEST(Mixture, ConstantAndTwinColumnsAndFewRowsAreNoProblem) {
  const Mixture model({"a", "twin", "constant"}, WithComponents(3));
  Table data{3, {}};
  for (int i = 0; i < 300; ++i) {
    const double a = (i % 3) + 0.01 * (i % 7);
    data.values.insert(data.values.end(), {a, a, 5.0});
  }
  for (const Estimate& e : model.Describe(model(data, model.Prior(), 0))) {
    EXPECT_TRUE(std::isfinite(e.mean)) << e.name;
  }
  const Dense one_row = model({3, {1, 2, 3}}, model.Prior(), 0);
  EXPECT_TRUE(std::isfinite(Named(model.Describe(one_row), "mean[1,a]").mean));
}

// The posterior is an inverse Wishart with tails too heavy for a variance; the interval is that of
// the two standard deviations, whose product no covariance is beyond.
TEST(Mixture, TheCovarianceOfOneRowHasAnIntervalButNoStandardDeviation) {
  const Mixture model({"x", "y"}, WithComponents(1));
  const auto estimates = model.Describe(model({2, {0.3, -0.4}}, model.Prior(), 0));
  const Estimate covariance = Named(estimates, "cov[1,x,y]");
  EXPECT_TRUE(std::isinf(covariance.sd));
  EXPECT_TRUE(std::isfinite(covariance.mean));
  const double most = Named(estimates, "sd[1,x]").upper * Named(estimates, "sd[1,y]").upper;
  EXPECT_DOUBLE_EQ(covariance.upper, most);
  EXPECT_DOUBLE_EQ(covariance.lower, -most);
  const Dense two_rows = model({2, {0.3, -0.4, 0.5, 0.1}}, model.Prior(), 0);
  EXPECT_TRUE(std::isfinite(Named(model.Describe(two_rows), "cov[1,x,y]").sd));
}

TEST(Mixture, BadOptionsAreRefused) {
  EXPECT_THROW(Mixture({"x"}, WithComponents(0)), std::invalid_argument);
  EXPECT_THROW(Mixture({}, WithComponents(2)), std::invalid_argument);
  MixtureOptions options;
  options.spread = 0;
  EXPECT_THROW(Mixture({"x"}, options), std::invalid_argument);
  options = {};
  options.scale = {1, 2};
  EXPECT_THROW(Mixture({"x"}, options), std::invalid_argument);
}

}  // namespace
}  // namespace sda
