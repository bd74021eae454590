#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <random>

#include "sda/checker.h"
#include "sda/models.h"

namespace sda {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <class Model>
auto Fit(const Model& model, const Table& data) {
  return model(data, model.Prior(), 0);
}

Estimate Named(const std::vector<Estimate>& estimates, const std::string& name) {
  for (const Estimate& e : estimates) {
    if (e.name == name) return e;
  }
  ADD_FAILURE() << "no estimate " << name;
  return {};
}

// Rows of a fixed stream of numbers, one row per item.
template <class Draw>
std::function<Table(uint64_t, uint64_t)> Rows(size_t columns, Draw draw) {
  return [=](uint64_t begin, uint64_t end) {
    Table table{columns, {}};
    for (uint64_t i = begin; i < end; ++i) {
      std::mt19937_64 random(i + 1);
      random.discard(5);
      for (size_t c = 0; c < columns; ++c) table.values.push_back(draw(random));
    }
    return table;
  };
}

template <class Params>
std::vector<std::string> BrokenPromises(const ConjugateModel<Params>& model,
                                        std::function<Table(uint64_t, uint64_t)> data) {
  Plugin<Table, Params> plugin;
  plugin.prior = model.Prior();
  plugin.primitive = &model;
  plugin.data = std::move(data);
  plugin.exact = true;
  return CheckPlugin(plugin);
}

double DrawNormal(std::mt19937_64& random) {
  return std::normal_distribution<double>(3, 2)(random);
}
double DrawBit(std::mt19937_64& random) { return std::bernoulli_distribution(0.3)(random); }
double DrawCount(std::mt19937_64& random) { return std::poisson_distribution<int>(4)(random); }
double DrawCategory(std::mt19937_64& random) {
  return std::geometric_distribution<int>(0.3)(random);
}

TEST(Coin, KeepsThePromisesOfTheFramework) {
  const Coin model({"a", "b"});
  EXPECT_THAT(BrokenPromises<Dense>(model, Rows(2, DrawBit)), IsEmpty());
}

TEST(Categorical, KeepsThePromisesOfTheFramework) {
  const Categorical model({"a", "b"});
  EXPECT_THAT(BrokenPromises<KeyedRows>(model, Rows(2, DrawCategory)), IsEmpty());
}

TEST(Normal, KeepsThePromisesOfTheFramework) {
  const Normal model({"a", "b"}, {.mean = 1, .weight = 2, .shape = 3, .rate = 4});
  EXPECT_THAT(BrokenPromises<Dense>(model, Rows(2, DrawNormal)), IsEmpty());
}

TEST(Poisson, KeepsThePromisesOfTheFramework) {
  const Poisson model({"a", "b"});
  EXPECT_THAT(BrokenPromises<Dense>(model, Rows(2, DrawCount)), IsEmpty());
}

TEST(Linear, KeepsThePromisesOfTheFramework) {
  const Linear model({"a", "b"}, {.precision = 2, .shape = 3, .rate = 4});
  EXPECT_THAT(BrokenPromises<Dense>(model, Rows(3, DrawNormal)), IsEmpty());
}

TEST(Coin, PosteriorIsTheBetaOfTheCounts) {
  const Coin model({"x"}, {.heads = 2, .tails = 3});
  const Estimate e = model.Describe(Fit(model, {1, {1, 1, 0, 1, 0, 1, 1}}))[0];
  const boost::math::beta_distribution<> expected(2 + 5, 3 + 2);
  EXPECT_EQ(e.name, "probability[x]");
  EXPECT_DOUBLE_EQ(e.mean, mean(expected));
  EXPECT_DOUBLE_EQ(e.sd, standard_deviation(expected));
  EXPECT_DOUBLE_EQ(cdf(expected, e.lower), 0.025);
  EXPECT_DOUBLE_EQ(cdf(expected, e.upper), 0.975);
}

TEST(Poisson, PosteriorIsTheGammaOfTheSum) {
  const Poisson model({"x"}, {.shape = 2, .rate = 0.5});
  const Estimate e = model.Describe(Fit(model, {1, {3, 0, 4, 1}}))[0];
  const boost::math::gamma_distribution<> expected(2 + 8, 1 / 4.5);
  EXPECT_DOUBLE_EQ(e.mean, mean(expected));
  EXPECT_DOUBLE_EQ(e.sd, standard_deviation(expected));
  EXPECT_DOUBLE_EQ(cdf(expected, e.lower), 0.025);
  EXPECT_DOUBLE_EQ(cdf(expected, e.upper), 0.975);
}

TEST(Categorical, PosteriorIsTheDirichletOfTheCounts) {
  Categorical model({"colour", "size"}, {.concentration = 0.5});
  std::vector<Dictionary> names(2);
  for (const char* colour : {"red", "green", "blue"}) names[0].NumberOf(colour);
  names[1].NumberOf("small");
  model.SetCategories(names);
  const auto estimates = model.Describe(Fit(model, {2, {0, 0, 1, 0, 0, 0, 2, 0}}));
  ASSERT_EQ(estimates.size(), 4u);
  const Estimate red = Named(estimates, "share[colour=red]");
  const boost::math::beta_distribution<> expected(2.5, 3);
  EXPECT_DOUBLE_EQ(red.mean, mean(expected));
  EXPECT_DOUBLE_EQ(red.sd, standard_deviation(expected));
  EXPECT_DOUBLE_EQ(cdf(expected, red.upper), 0.975);
  EXPECT_EQ(Named(estimates, "share[size=small]").mean, 1) << "the only category has all";
}

// The textbook update, in the usual parameters instead of the natural ones.
TEST(Normal, PosteriorIsTheTextbookNormalGamma) {
  const Normal::PriorOptions prior{.mean = 1, .weight = 2, .shape = 3, .rate = 4};
  const std::vector<double> x = {2, 3.5, -1, 4, 2.25};
  const double n = 5;
  const double mean_x = 10.75 / n;
  double s = 0;
  for (const double v : x) s += (v - mean_x) * (v - mean_x);
  const double k = 2 + n;
  const double m = (2 * 1 + n * mean_x) / k;
  const double a = 3 + n / 2;
  const double b = 4 + s / 2 + 2 * n * (mean_x - 1) * (mean_x - 1) / (2 * k);
  for (const double origin : {0.0, 2.0, -100.0}) {
    const Normal model({"x"}, prior, {origin});
    const auto estimates = model.Describe(Fit(model, {1, x}));
    const Estimate mean = Named(estimates, "mean[x]");
    const boost::math::students_t_distribution<> t(2 * a);
    const double scale = std::sqrt(b / (a * k));
    EXPECT_NEAR(mean.mean, m, 1e-11);
    EXPECT_NEAR(mean.sd, scale * std::sqrt(2 * a / (2 * a - 2)), 1e-11);
    EXPECT_NEAR(mean.upper, m + scale * quantile(t, 0.975), 1e-10);
    const Estimate precision = Named(estimates, "precision[x]");
    EXPECT_NEAR(precision.mean, a / b, 1e-11);
    EXPECT_NEAR(precision.lower, quantile(boost::math::gamma_distribution<>(a, 1 / b), 0.025),
                1e-10);
    const Estimate sd = Named(estimates, "sd[x]");
    EXPECT_NEAR(sd.upper, 1 / std::sqrt(precision.lower), 1e-12);
    EXPECT_NEAR(sd.mean, std::sqrt(b) * std::tgamma(a - 0.5) / std::tgamma(a), 1e-10);
    EXPECT_NEAR(sd.sd, std::sqrt(b / (a - 1) - sd.mean * sd.mean), 1e-10);
  }
}

TEST(Normal, WithTheDefaultPriorTheIntervalIsTheClassicalOne) {
  const Normal model({"x"});
  const Estimate mean = model.Describe(Fit(model, {1, {1, 2, 3, 4}}))[0];
  const double standard_error = std::sqrt(5.0 / 3 / 4);
  EXPECT_NEAR(mean.mean, 2.5, 1e-14);
  EXPECT_NEAR(mean.upper, 2.5 + standard_error * quantile(boost::math::students_t(3), 0.975),
              1e-12);
}

// The hardest of the NIST StRD univariate sets (NumAcc4): 1e7 + 0.2 + {0, -0.1, +0.1}.
TEST(Normal, DataFarFromZeroKeepsItsDigits) {
  Table data{1, {10000000.2}};
  for (int i = 0; i < 500; ++i) {
    data.values.push_back(10000000.1);
    data.values.push_back(10000000.3);
  }
  const Normal model({"x"}, {}, {10000000.0});
  const auto estimates = model.Describe(Fit(model, data));
  EXPECT_NEAR(Named(estimates, "mean[x]").mean, 10000000.2, 1e-8);
  // Sample variance exactly 0.01; precision = 1 / variance.
  EXPECT_NEAR(Named(estimates, "precision[x]").mean, 100, 1e-5);
}

TEST(Normal, ASpreadLostInRoundingIsRefusedNotInvented) {
  const Normal model({"x"}, {}, {0.0});  // an origin far from where the data is
  Table data{1, {}};
  for (int i = 0; i < 1000; ++i) data.values.push_back(1e8 + 0.1 * (i % 3));
  EXPECT_THROW(model.Describe(Fit(model, data)), std::domain_error);
}

TEST(Coin, EnormousCountsGiveAnAnswer) {
  const Coin model({"x"}, {.heads = 1e15, .tails = 1e15});
  const Estimate e = model.Describe(model.Prior())[0];
  EXPECT_NEAR(e.mean, 0.5, 1e-12);
  EXPECT_LT(e.upper - e.lower, 1e-6);
  EXPECT_THROW(Coin({"x"}, {.heads = 1e20}), std::invalid_argument);
}

TEST(Normal, OneRowIsNotEnoughAndSaysSo) {
  const Normal model({"height"});
  try {
    model.Describe(Fit(model, {1, {1.0}}));
    FAIL() << "nothing was thrown";
  } catch (const std::domain_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("\"height\" are unknown: they need 2 rows"));
  }
}

TEST(Normal, EqualRowsHaveNoSpread) {
  const Normal model({"x"}, {}, {0.1});
  const auto estimates = model.Describe(Fit(model, {1, {0.1, 0.1, 0.1}}));
  EXPECT_EQ(Named(estimates, "mean[x]").mean, 0.1);
  EXPECT_EQ(Named(estimates, "sd[x]").mean, 0);
  EXPECT_TRUE(std::isinf(Named(estimates, "precision[x]").mean));
}

// Weighted least squares written out with a matrix inverse.
TEST(Linear, PosteriorIsTheTextbookNormalInverseGamma) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Table data{3, {}};
  Eigen::MatrixXd x(30, 3);
  Eigen::VectorXd y(30);
  for (int i = 0; i < 30; ++i) {
    x.row(i) << 1, normal(random) + 10, normal(random) * 1000;
    y(i) = 2 + 3 * x(i, 1) - 0.01 * x(i, 2) + normal(random);
    data.values.insert(data.values.end(), {x(i, 1), x(i, 2), y(i)});
  }
  const double ridge = 0.5;
  Eigen::MatrixXd precision = x.transpose() * x;
  precision(1, 1) += ridge;
  precision(2, 2) += ridge;
  const Eigen::MatrixXd inverse = precision.inverse();
  const Eigen::VectorXd m = inverse * x.transpose() * y;
  const double a = 3 + 30 / 2.0 - 0.5;  // the flat intercept costs half a degree
  const double b = 4 + (y.squaredNorm() - m.dot(precision * m)) / 2;
  const boost::math::students_t_distribution<> t(2 * a);
  for (const auto& origin : std::vector<std::vector<double>>{{}, {10, -20, 30}}) {
    const Linear model({"u", "v"}, {.precision = ridge, .shape = 3, .rate = 4}, true, origin);
    const Dense posterior = Fit(model, data);
    const auto estimates = model.Describe(posterior);
    ASSERT_EQ(estimates.size(), 4u);
    EXPECT_EQ(estimates[0].name, "intercept");
    for (int j = 0; j < 3; ++j) {
      const double scale = std::sqrt(b / a * inverse(j, j));
      EXPECT_NEAR(estimates[j].mean, m(j), 1e-9 * std::abs(m(j))) << j;
      EXPECT_NEAR(estimates[j].upper, m(j) + scale * quantile(t, 0.975), 1e-8) << j;
    }
    const Estimate prediction = model.Predict(posterior, {2, {12, 500}})[0];
    const Eigen::Vector3d at(1, 12, 500);
    const double scale = std::sqrt(b / a * (1 + at.dot(inverse * at)));
    EXPECT_NEAR(prediction.mean, at.dot(m), 1e-8);
    EXPECT_NEAR(prediction.lower, at.dot(m) - scale * quantile(t, 0.975), 1e-8);
  }
}

TEST(Linear, WithoutInterceptAndWithTheFlatPriorItIsLeastSquares) {
  const Linear model({"u"}, {}, /*intercept=*/false);
  const auto estimates = model.Describe(Fit(model, {2, {1, 2, 2, 4.1, 3, 5.9}}));
  EXPECT_NEAR(estimates[0].mean, (2 + 8.2 + 17.7) / 14, 1e-14);
}

TEST(Linear, ALineWithoutNoiseIsFoundExactly) {
  const Linear model({"u"}, {}, true, {2, 5});
  const auto estimates = model.Describe(Fit(model, {2, {1, 3, 2, 5, 3, 7}}));
  EXPECT_NEAR(Named(estimates, "intercept").mean, 1, 1e-12);
  EXPECT_NEAR(Named(estimates, "coef[u]").mean, 2, 1e-12);
  EXPECT_EQ(Named(estimates, "noise_sd").lower, 0);
  EXPECT_LT(Named(estimates, "noise_sd").upper, 1e-4);
}

// The sums hold 16 digits, and the noise is in the digits after them.
TEST(Linear, NoiseThatIsLostInRoundingGivesWideIntervalsThatSayApproximate) {
  for (const double noise : {1e-8, 1e-9, 1e-4}) {
    const Linear model({"u", "v"}, {}, true, {0.01, 0.02, 0.03});
    for (int set = 0; set < 20; ++set) {
      std::mt19937_64 random(set);
      std::normal_distribution<double> z;
      Table data{3, {}};
      for (int i = 0; i < 5000; ++i) {
        const double u = z(random);
        const double v = z(random);
        data.values.insert(data.values.end(), {u, v, u + 0.5 * v + noise * z(random)});
      }
      for (const Estimate& e : model.Describe(Fit(model, data))) {
        EXPECT_EQ(e.approximate, noise < 1e-7) << e.name;
        EXPECT_GT(e.upper, e.lower) << e.name;
        const double truth = e.name == "noise_sd"    ? noise
                             : e.name == "intercept" ? 0
                             : e.name == "coef[u]"   ? 1
                                                     : 0.5;
        EXPECT_TRUE(!e.approximate || (e.lower <= truth && truth <= e.upper)) << e.name;
      }
    }
  }
}

TEST(Linear, ColumnsThatDependOnEachOtherAreNamed) {
  const Linear model({"u", "v"});
  Table data{3, {}};
  for (const double u : {1.0, 2.0, 4.0, 7.0, 9.0}) {
    data.values.insert(data.values.end(), {u, 3 * u - 1, u * u});
  }
  try {
    model.Describe(Fit(model, data));
    FAIL() << "nothing was thrown";
  } catch (const std::domain_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("column \"v\" is constant or a combination"));
  }
  const Linear ridge({"u", "v"}, {.precision = 1});
  EXPECT_EQ(ridge.Describe(Fit(ridge, data)).size(), 4u) << "a prior settles it";
}

TEST(Linear, TooFewRowsAreRefused) {
  const Linear model({"u"});
  EXPECT_THROW(model.Describe(Fit(model, {2, {1, 2, 3, 4}})), std::domain_error);
}

TEST(Models, NegativePriorsAreNamed) {
  auto message = [](auto make) -> std::string {
    try {
      make();
      return "";
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
  };
  EXPECT_THAT(message([] { Coin({"x"}, {.heads = -1}); }), HasSubstr("prior heads is -1"));
  EXPECT_THAT(message([] { Coin({"x"}, {.tails = 0}); }), HasSubstr("prior tails is 0"));
  EXPECT_THAT(message([] { Poisson({"x"}, {.rate = -1}); }), HasSubstr("prior rate is -1"));
  EXPECT_THAT(message([] { Categorical({"x"}, {.concentration = -2}); }),
              HasSubstr("prior concentration is -2"));
  EXPECT_THAT(message([] { Normal({"x"}, {.weight = -1}); }), HasSubstr("prior weight is -1"));
  EXPECT_THAT(message([] { Linear({"x"}, {.precision = -1}); }),
              HasSubstr("prior precision is -1"));
  EXPECT_THAT(message([] { Linear({"x"}, {.shape = std::nan("")}); }), HasSubstr("prior shape is"));
}

}  // namespace
}  // namespace sda
