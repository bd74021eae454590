#include "sda/classifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "models/likelihood.h"
#include "models/sites.h"
#include "sda/checker.h"
#include "sda/loop.h"

namespace sda {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kPriorSd = 2.5;

double Normal01(std::mt19937_64& random) { return std::normal_distribution<double>()(random); }
double Phi(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

// Rows of a regression with these coefficients, features of unit spread with equal correlations,
// no intercept.
Table Simulate(size_t rows, const std::vector<double>& w, double correlation, Link link,
               uint64_t seed) {
  std::mt19937_64 random(seed);
  Table table{w.size() + 1, {}};
  for (size_t i = 0; i < rows; ++i) {
    const double shared = std::sqrt(correlation) * Normal01(random);
    double score = 0;
    for (const double coefficient : w) {
      const double x = shared + std::sqrt(1 - correlation) * Normal01(random);
      score += coefficient * x;
      table.values.push_back(x);
    }
    const double u = std::uniform_real_distribution<double>()(random);
    table.values.push_back(u < LinkValue(link, score) ? 1 : 0);
  }
  return table;
}

std::vector<std::string> Names(size_t n) {
  std::vector<std::string> names;
  for (size_t j = 0; j < n; ++j) names.push_back("x" + std::to_string(j));
  return names;
}

ClassifierOptions Plain(Link link, SiteMethod method = SiteMethod::kEp) {
  ClassifierOptions options;
  options.link = link;
  options.method = method;
  options.intercept = false;
  return options;
}

// Mean and covariance of a posterior of p coefficients, unpacked independently here.
Gaussian MomentsOfPosterior(const Dense& params, size_t p) {
  MatrixXd precision(p, p);
  size_t next = 0;
  for (size_t i = 0; i < p; ++i) {
    for (size_t j = 0; j <= i; ++j) precision(i, j) = precision(j, i) = params[next++];
  }
  VectorXd linear(p);
  for (size_t j = 0; j < p; ++j) linear(j) = params[next++];
  const MatrixXd covariance = precision.inverse();
  return {covariance * linear, covariance};
}

// "Within x": means in units of posterior standard deviations, covariances in units of the product
// of the two standard deviations.
double Distance(const Gaussian& a, const Gaussian& b) {
  double worst = 0;
  for (Eigen::Index i = 0; i < a.mean.size(); ++i) {
    const double sd = std::sqrt(b.covariance(i, i));
    worst = std::max(worst, std::abs(a.mean(i) - b.mean(i)) / sd);
    for (Eigen::Index j = 0; j < a.mean.size(); ++j) {
      worst = std::max(worst, std::abs(a.covariance(i, j) - b.covariance(i, j)) /
                                  (sd * std::sqrt(b.covariance(j, j))));
    }
  }
  return worst;
}

// log Phi, for the sampler, which needs it some 10^9 times: from a table with steps of 0.001.
double LogPhi(double z) {
  constexpr double kStep = 1e-3;
  constexpr double kLow = -30;
  static const std::vector<double> table = [] {
    std::vector<double> values;
    for (double at = kLow; at <= -kLow + 1; at += kStep) values.push_back(std::log(Phi(at)));
    return values;
  }();
  const double place = (std::clamp(z, kLow, -kLow) - kLow) / kStep;
  const auto i = static_cast<size_t>(place);
  return table[i] + (place - static_cast<double>(i)) * (table[i + 1] - table[i]);
}

// Log posterior density of probit coefficients: written without the library.
double LogPosterior(const MatrixXd& x, const VectorXd& signs, const VectorXd& w) {
  double sum = -w.squaredNorm() / (2 * kPriorSd * kPriorSd);
  const VectorXd scores = x.transpose() * w;
  for (Eigen::Index i = 0; i < x.cols(); ++i) sum += LogPhi(signs(i) * scores(i));
  return sum;
}

// Mode and inverse of minus the Hessian there, by Newton's method.
Gaussian Laplace(const MatrixXd& x, const VectorXd& signs) {
  const Eigen::Index p = x.rows();
  VectorXd w = VectorXd::Zero(p);
  MatrixXd hessian;
  for (int iteration = 0; iteration < 50; ++iteration) {
    VectorXd gradient = -w / (kPriorSd * kPriorSd);
    hessian = MatrixXd::Identity(p, p) / (kPriorSd * kPriorSd);
    for (Eigen::Index i = 0; i < x.cols(); ++i) {
      const double z = signs(i) * x.col(i).dot(w);
      const double ratio = std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0)) / Phi(z);
      gradient += signs(i) * ratio * x.col(i);
      hessian += ratio * (ratio + z) * x.col(i) * x.col(i).transpose();
    }
    w += hessian.ldlt().solve(gradient);
  }
  return {w, hessian.inverse()};
}

// Long MCMC: Metropolis-Hastings with independent proposals, a Student t of 20 degrees of freedom
// around the mode, slightly widened. The target is close to it, so most are accepted and draws are
// nearly independent. What the average of the proposals themselves, whose moments are known, is off
// by is subtracted: most of the chain's error is theirs.
Gaussian Sample(const MatrixXd& x, const VectorXd& signs, int draws, std::mt19937_64& random) {
  constexpr double kDof = 20;
  const Eigen::Index p = x.rows();
  const Gaussian laplace = Laplace(x, signs);
  const MatrixXd factor = (1.1 * laplace.covariance).llt().matrixL();
  std::chi_squared_distribution<double> chi_squared(kDof);
  VectorXd state = VectorXd::Zero(p);  // w = mode + factor * state
  double log_weight = LogPosterior(x, signs, laplace.mean);
  VectorXd sum = VectorXd::Zero(p);
  MatrixXd products = kDof / (kDof - 2) * draws * MatrixXd::Identity(p, p);
  int accepted = 0;
  VectorXd z(p);
  for (int draw = 0; draw < draws; ++draw) {
    for (Eigen::Index j = 0; j < p; ++j) z(j) = Normal01(random);
    z *= std::sqrt(kDof / chi_squared(random));
    const double log_proposal = -(kDof + p) / 2 * std::log1p(z.squaredNorm() / kDof);
    const double proposed = LogPosterior(x, signs, laplace.mean + factor * z) - log_proposal;
    if (std::log(std::uniform_real_distribution<double>()(random)) < proposed - log_weight) {
      state = z;
      log_weight = proposed;
      ++accepted;
    }
    sum += state - z;
    products += state * state.transpose() - z * z.transpose();
  }
  EXPECT_GT(accepted, 0.7 * draws);
  const VectorXd shift = sum / draws;
  const MatrixXd covariance = products / draws - shift * shift.transpose();
  return {laplace.mean + factor * shift, factor * covariance * factor.transpose()};
}

struct Columns {
  MatrixXd x;
  VectorXd signs;
};
Columns ColumnsOf(const Table& data) {
  const size_t p = data.columns - 1;
  Columns columns{MatrixXd(p, data.size()), VectorXd(data.size())};
  for (size_t i = 0; i < data.size(); ++i) {
    for (size_t j = 0; j < p; ++j) columns.x(j, i) = data.row(i)[j];
    columns.signs(i) = data.row(i)[p] == 1 ? 1 : -1;
  }
  return columns;
}

struct Problem {
  const char* name;
  size_t rows;
  std::vector<double> w;
  double correlation;
};

TEST(Probit, EpIsWithinOnePercentOfLongMcmc) {
  const std::vector<Problem> problems = {{"one coefficient", 100, {0.8}, 0},
                                         {"two", 300, {0.6, -0.4}, 0},
                                         {"two, correlated", 300, {0.3, 0.3}, 0.8},
                                         {"three", 300, {0.2, -0.7, 0}, 0.3},
                                         {"four", 400, {0.1, 0.2, -0.5, 0.4}, 0.5}};
  std::mt19937_64 random(11);
  for (const Problem& problem : problems) {
    const Table data = Simulate(problem.rows, problem.w, problem.correlation, Link::kProbit, 5);
    const Columns columns = ColumnsOf(data);
    const Gaussian expected = Sample(columns.x, columns.signs, 200000, random);
    const Classifier model(Names(problem.w.size()), Plain(Link::kProbit));
    const Gaussian ep = MomentsOfPosterior(model(data, model.Prior(), 0), problem.w.size());
    EXPECT_LT(Distance(ep, expected), 0.01) << problem.name;
  }
}

// The definition of expectation propagation: with each row's site replaced by its true factor, mean
// and variance of its score stay what they are. Site by site from the sum is not possible for the
// library's user, so the sites are made again here by plain parallel updates, which have the same
// fixed point.
Gaussian PlainEp(const Columns& columns, Link link) {
  const Eigen::Index n = columns.x.cols();
  const Eigen::Index p = columns.x.rows();
  VectorXd tau = VectorXd::Zero(n);
  VectorXd nu = VectorXd::Zero(n);
  const MatrixXd prior = MatrixXd::Identity(p, p) / (kPriorSd * kPriorSd);
  Gaussian q;
  for (int iteration = 0; iteration < 400; ++iteration) {
    q.covariance = (prior + columns.x * tau.asDiagonal() * columns.x.transpose()).inverse();
    q.mean = q.covariance * (columns.x * nu);
    for (Eigen::Index i = 0; i < n; ++i) {
      const VectorXd x = columns.x.col(i);
      const double v = x.dot(q.covariance * x);
      const double m = x.dot(q.mean);
      const double cavity_v = 1 / (1 / v - tau(i));
      const double cavity_m = cavity_v * (m / v - nu(i));
      // Moments by plain summation.
      double s0 = 0;
      double s1 = 0;
      double s2 = 0;
      for (int k = -400; k <= 400; ++k) {
        const double f = cavity_m + std::sqrt(cavity_v) * k * 0.025;
        const double weight =
            std::exp(-0.5 * k * k * 0.025 * 0.025) * LinkValue(link, columns.signs(i) * f);
        s0 += weight;
        s1 += weight * f;
        s2 += weight * f * f;
      }
      const double mean = s1 / s0;
      const double variance = s2 / s0 - mean * mean;
      tau(i) += 0.5 * (1 / variance - 1 / cavity_v - tau(i));
      nu(i) += 0.5 * (mean / variance - cavity_m / cavity_v - nu(i));
    }
  }
  return q;
}

TEST(Classifier, EpIsThePlainStatementOfEp) {
  for (const Link link : {Link::kProbit, Link::kLogistic}) {
    const Table data = Simulate(25, {1, -0.5, 0.3}, 0.4, link, 8);
    ClassifierOptions options = Plain(link);
    options.tolerance = 1e-10;
    const Classifier model(Names(3), options);
    const Gaussian ep = MomentsOfPosterior(model(data, model.Prior(), 0), 3);
    EXPECT_LT(Distance(ep, PlainEp(ColumnsOf(data), link)), 1e-6);
  }
}

TEST(Classifier, TheDefaultToleranceIsEnough) {
  for (const Link link : {Link::kProbit, Link::kLogistic}) {
    for (const SiteMethod method : {SiteMethod::kEp, SiteMethod::kVb}) {
      const Table data = Simulate(200, {1, -0.5, 0.3}, 0.4, link, 9);
      ClassifierOptions options = Plain(link, method);
      const Classifier usual(Names(3), options);
      options.tolerance = 1e-12;
      options.max_passes = 10000;
      const Classifier exact(Names(3), options);
      EXPECT_LT(Distance(MomentsOfPosterior(usual(data, usual.Prior(), 0), 3),
                         MomentsOfPosterior(exact(data, exact.Prior(), 0), 3)),
                1e-3);
    }
  }
}

// Jaakkola and Jordan's bound on the evidence as a function of q: at the result, no change of mean
// or covariance may raise it. Expectation of log sigma's lower bound at the best xi.
double JaakkolaJordanBound(const Columns& columns, const VectorXd& mean,
                           const MatrixXd& covariance) {
  double bound = 0;
  for (Eigen::Index i = 0; i < columns.x.cols(); ++i) {
    const VectorXd x = columns.x.col(i);
    const double f = x.dot(mean);
    const double xi = std::sqrt(f * f + x.dot(covariance * x));
    bound += -std::log1p(std::exp(-xi)) + (columns.signs(i) * f - xi) / 2;
  }
  const double prior_precision = 1 / (kPriorSd * kPriorSd);
  return bound - 0.5 * prior_precision * (mean.squaredNorm() + covariance.trace()) +
         0.5 * std::log(covariance.determinant());
}

TEST(Logistic, VbIsTheMaximumOfTheJaakkolaJordanBound) {
  const Table data = Simulate(40, {1, -0.5}, 0.4, Link::kLogistic, 3);
  const Columns columns = ColumnsOf(data);
  ClassifierOptions options = Plain(Link::kLogistic, SiteMethod::kVb);
  options.tolerance = 1e-12;
  options.max_passes = 10000;
  const Classifier model(Names(2), options);
  const Gaussian q = MomentsOfPosterior(model(data, model.Prior(), 0), 2);
  const double best = JaakkolaJordanBound(columns, q.mean, q.covariance);
  std::mt19937_64 random(1);
  for (const double size : {0.1, 0.01, 0.003}) {
    for (int trial = 0; trial < 50; ++trial) {
      VectorXd mean = q.mean;
      MatrixXd factor = q.covariance.llt().matrixL();
      for (int i = 0; i < 2; ++i) {
        mean(i) += size * Normal01(random) * std::sqrt(q.covariance(i, i));
        for (int j = 0; j <= i; ++j) factor(i, j) += size * 0.1 * Normal01(random) * factor(0, 0);
      }
      EXPECT_LE(JaakkolaJordanBound(columns, mean, factor * factor.transpose()), best + 1e-10);
    }
  }
}

// Mean field for probit with latent scores: its mean is the posterior mode's neighbour given by the
// stationary equations, its covariance that of a linear regression with noise 1.
TEST(Probit, VbSolvesItsStationaryEquations) {
  const Table data = Simulate(40, {1, -0.5}, 0.4, Link::kProbit, 3);
  const Columns columns = ColumnsOf(data);
  ClassifierOptions options = Plain(Link::kProbit, SiteMethod::kVb);
  options.tolerance = 1e-12;
  options.max_passes = 10000;
  const Classifier model(Names(2), options);
  const Gaussian q = MomentsOfPosterior(model(data, model.Prior(), 0), 2);
  const MatrixXd precision =
      columns.x * columns.x.transpose() + MatrixXd::Identity(2, 2) / (kPriorSd * kPriorSd);
  EXPECT_LT((q.covariance - precision.inverse()).norm(), 1e-12);
  VectorXd latent(data.size());
  for (Eigen::Index i = 0; i < latent.size(); ++i) {
    const double f = columns.x.col(i).dot(q.mean);
    const double s = columns.signs(i);
    latent(i) = f + s * std::exp(-f * f / 2) / std::sqrt(2 * std::acos(-1.0)) / Phi(s * f);
  }
  EXPECT_LT((q.mean - q.covariance * columns.x * latent).norm(), 1e-9);
}

Dense RunOn(const Classifier& model, const Table& data, size_t minibatch, RunOptions options = {}) {
  MemorySource<Table> source(Split(data, minibatch));
  MemoryStore<Dense> store(model.Prior());
  Run(source, model, store, options);
  return store.Read().params;
}

// Minibatches of 1,000 rows, as from the command line. Smaller ones are further off: their first
// sites are those of a wide posterior (docs/ep.md has a table).
TEST(Classifier, AStreamOfAHundredMinibatchesIsWithinThreePercentOfBatchEp) {
  for (const uint64_t seed : {1, 2, 3}) {
    const Table data = Simulate(100000, {0.5, -1, 0.25, 0, 0.7}, 0.3, Link::kProbit, seed);
    const Classifier model(Names(5), Plain(Link::kProbit));
    const Gaussian batch = MomentsOfPosterior(model(data, model.Prior(), 0), 5);
    EXPECT_LT(Distance(MomentsOfPosterior(RunOn(model, data, 1000), 5), batch), 0.03);
  }
}

// With 10,000 to 50,000 rows the mean as a vector, and each standard deviation, is within 3%.
TEST(Classifier, AHundredSmallMinibatchesAreWithinThreePercentOfTheLengthOfTheMean) {
  for (const size_t minibatch : {100, 200, 500}) {
    const Table data =
        Simulate(100 * minibatch, {0.5, -1, 0.25, 0, 0.7}, 0.3, Link::kProbit, minibatch);
    const Classifier model(Names(5), Plain(Link::kProbit));
    const Gaussian batch = MomentsOfPosterior(model(data, model.Prior(), 0), 5);
    const Gaussian stream = MomentsOfPosterior(RunOn(model, data, minibatch), 5);
    EXPECT_LT((stream.mean - batch.mean).norm(), 0.03 * batch.mean.norm()) << minibatch;
    for (Eigen::Index j = 0; j < 5; ++j) {
      const double ratio = std::sqrt(stream.covariance(j, j) / batch.covariance(j, j));
      EXPECT_NEAR(ratio, 1, 0.03) << minibatch;
    }
  }
}

// The truth is drawn from the prior and the data from the truth, so of 95% intervals 95 in 100 must
// hold it; streamed through 4 asynchronous workers.
TEST(Classifier, IntervalsHoldTheTruthNinetyFiveTimesInAHundred) {
  constexpr int kDataSets = 1000;
  for (const Link link : {Link::kProbit, Link::kLogistic}) {
    ClassifierOptions options = Plain(link);
    options.sd = 0.7;
    const Classifier model(Names(2), options);
    std::mt19937_64 random(3);
    int inside = 0;
    for (int i = 0; i < kDataSets; ++i) {
      const std::vector<double> w = {0.7 * Normal01(random), 0.7 * Normal01(random)};
      const Table data = Simulate(200, w, 0.3, link, random());
      const auto estimates = model.Describe(
          RunOn(model, data, 20, {.schedule = Schedule::kAsynchronous, .workers = 4}));
      for (size_t j = 0; j < 2; ++j) {
        inside += estimates[j].lower <= w[j] && w[j] <= estimates[j].upper;
      }
    }
    EXPECT_NEAR(static_cast<double>(inside) / (2 * kDataSets), 0.95, 0.015);
  }
}

// Data of the checker: items [begin, end) of a fixed stream.
Table CheckedRows(uint64_t begin, uint64_t end) {
  Table table{3, {}};
  for (uint64_t i = begin; i < end; ++i) {
    const Table row = Simulate(1, {1, -1}, 0, Link::kProbit, i + 1);
    table.values.insert(table.values.end(), row.values.begin(), row.values.end());
  }
  return table;
}

TEST(Classifier, KeepsThePromisesOfTheFrameworkThatAnApproximationCan) {
  for (const Link link : {Link::kProbit, Link::kLogistic}) {
    for (const SiteMethod method : {SiteMethod::kEp, SiteMethod::kVb}) {
      ClassifierOptions options = Plain(link, method);
      options.intercept = true;
      const Classifier model(Names(2), options);
      const Plugin<Table, Dense> plugin{model.Prior(), &model, CheckedRows};
      EXPECT_THAT(CheckPlugin(plugin), IsEmpty());
    }
  }
}

TEST(DiagonalClassifier, KeepsThePromisesOfTheFrameworkThatAnApproximationCan) {
  for (const Link link : {Link::kProbit, Link::kLogistic}) {
    ClassifierOptions options;
    options.link = link;
    const DiagonalClassifier model({}, options);
    const Plugin<SparseRows, KeyedRows> plugin{
        model.Prior(), &model,
        [](uint64_t begin, uint64_t end) { return ToSparse(CheckedRows(begin, end), true); }};
    EXPECT_THAT(CheckPlugin(plugin), IsEmpty());
  }
}

TEST(Classifier, ManyWorkersLeaveTheCovariancePositive) {
  const Table data = Simulate(4000, {2, -3}, 0.9, Link::kProbit, 4);
  const Classifier model(Names(2), Plain(Link::kProbit));
  for (const WorkerPrior prior : {WorkerPrior::kLatestPosterior, WorkerPrior::kFixedPrior}) {
    const Dense posterior =
        RunOn(model, data, 20,
              {.schedule = Schedule::kAsynchronous, .workers = 8, .worker_prior = prior});
    for (const Estimate& e : model.Describe(posterior)) {
      EXPECT_TRUE(std::isfinite(e.mean) && e.sd > 0 && e.sd < 1) << e.name;
    }
  }
}

// With one coefficient the diagonal is all there is.
TEST(DiagonalClassifier, WithOneCoefficientItIsTheClassifier) {
  for (const Link link : {Link::kProbit, Link::kLogistic}) {
    const Table data = Simulate(50, {0.8}, 0, link, 2);
    ClassifierOptions options = Plain(link);
    options.tolerance = 1e-11;
    options.origin = {0};
    options.scale = {0.5};
    const Classifier full(Names(1), options);
    const DiagonalClassifier diagonal(Names(1), options);
    const Estimate a = full.Describe(full(data, full.Prior(), 0))[0];
    const Estimate b = diagonal.Describe(diagonal(ToSparse(data, true), diagonal.Prior(), 0))[0];
    EXPECT_NEAR(a.mean, b.mean, 1e-8);
    EXPECT_NEAR(a.sd, b.sd, 1e-8);
    const auto p = full.Predict(full(data, full.Prior(), 0), {1, {0.3}});
    const auto q = diagonal.Predict(diagonal(ToSparse(data, true), diagonal.Prior(), 0),
                                    ToSparse({1, {0.3}}, false));
    EXPECT_NEAR(p[0].mean, q[0].mean, 1e-8);
    EXPECT_NEAR(p[0].lower, q[0].lower, 1e-8);
  }
}

TEST(Classifier, IntervalsThatAreTooNarrowAreCalledApproximate) {
  const Table data = Simulate(50, {0.8, 0.4}, 0, Link::kLogistic, 2);
  const auto expect = [](bool approximate, const auto& model, const auto& rows, const auto& row) {
    const auto posterior = model(rows, model.Prior(), 0);
    for (const auto& estimates : {model.Describe(posterior), model.Predict(posterior, row)}) {
      for (const Estimate& e : estimates) EXPECT_EQ(e.approximate, approximate) << e.name;
    }
  };
  const Table row = {2, {0.3, 0.1}};
  const ClassifierOptions ep = Plain(Link::kLogistic);
  expect(false, Classifier(Names(2), ep), data, row);
  expect(true, Classifier(Names(2), Plain(Link::kLogistic, SiteMethod::kVb)), data, row);
  expect(true, DiagonalClassifier(Names(2), ep), ToSparse(data, true), ToSparse(row, false));
  const Table one = Simulate(50, {0.8}, 0, Link::kLogistic, 2);
  expect(false, DiagonalClassifier(Names(1), ep), ToSparse(one, true), ToSparse({1, {1}}, false));
}

TEST(DiagonalClassifier, IndependentFeaturesGetWhatTheFullCovarianceGives) {
  const Table data = Simulate(5000, {0.5, -1, 0.25, 0, 0.7}, 0, Link::kProbit, 6);
  const Classifier full(Names(5), Plain(Link::kProbit));
  const DiagonalClassifier diagonal({}, Plain(Link::kProbit));
  const auto a = full.Describe(full(data, full.Prior(), 0));
  const auto b = diagonal.Describe(diagonal(ToSparse(data, true), diagonal.Prior(), 0));
  ASSERT_EQ(a.size(), b.size());
  for (size_t j = 0; j < a.size(); ++j) {
    EXPECT_NEAR(a[j].mean, b[j].mean, 0.5 * a[j].sd);
    EXPECT_NEAR(b[j].sd / a[j].sd, 1, 0.1);
  }
}

// Shifted and stretched features with the origin and scale to match are the same regression.
TEST(Classifier, OriginAndScaleAreAChangeOfUnits) {
  const Table data = Simulate(60, {0.5, -1}, 0.3, Link::kLogistic, 6);
  Table moved = data;
  for (size_t i = 0; i < data.size(); ++i) moved.values[3 * i] = 100 + 8 * data.row(i)[0];
  ClassifierOptions options;
  options.link = Link::kLogistic;
  const Classifier plain(Names(2), options);
  options.origin = {100, 0};
  options.scale = {8, 1};
  const Classifier scaled(Names(2), options);
  const auto a = plain.Describe(plain(data, plain.Prior(), 0));
  const auto b = scaled.Describe(scaled(moved, scaled.Prior(), 0));
  EXPECT_NEAR(a[1].mean, 8 * b[1].mean, 1e-9);
  EXPECT_NEAR(a[0].mean, b[0].mean + 100 * b[1].mean, 1e-9);
  EXPECT_NEAR(a[2].sd, b[2].sd, 1e-9);
}

TEST(Classifier, SwappedClassesAreTheOtherCodingOfTheData) {
  const Table data = Simulate(60, {0.5, -1}, 0.3, Link::kProbit, 6);
  Table coded = data;
  for (size_t i = 0; i < data.size(); ++i) coded.values[3 * i + 2] = 1 - data.row(i)[2];
  Classifier model(Names(2));
  const auto other = model.Describe(model(coded, model.Prior(), 0));
  const Dense posterior = model(data, model.Prior(), 0);
  const double p = model.Predict(posterior, {2, {0.2, 0.4}})[0].mean;
  model.SwapClasses(true);
  const auto swapped = model.Describe(posterior);
  for (size_t j = 0; j < other.size(); ++j) {
    EXPECT_NEAR(swapped[j].mean, other[j].mean, 1e-12);
    EXPECT_NEAR(swapped[j].lower, other[j].lower, 1e-12);
  }
  EXPECT_NEAR(model.Predict(posterior, {2, {0.2, 0.4}})[0].mean, 1 - p, 1e-12);
}

TEST(Classifier, TheLogOfTheProbabilityOfAClassIsFiniteWhereTheOtherIsCertain) {
  for (const Link link : {Link::kProbit, Link::kLogistic}) {
    const Table data = Simulate(2000, {0.5, -1}, 0.3, link, 3);
    const Table rows = {3, {0.2, 0.4, 1, 0.2, 0.4, 0, -1e3, 1e3, 1, 1e3, -1e3, 0}};
    Classifier full(Names(2), Plain(link));
    const Dense posterior = full(data, full.Prior(), 0);
    const auto logs = full.LogPredictive(posterior, rows);
    const double p = full.Predict(posterior, {2, {0.2, 0.4}})[0].mean;
    EXPECT_NEAR(logs[0], std::log(p), 1e-8);
    EXPECT_NEAR(logs[1], std::log(1 - p), 1e-8);
    for (const double log : {logs[2], logs[3]}) {
      EXPECT_TRUE(std::isfinite(log));
      EXPECT_LT(log, -50);
    }
    full.SwapClasses(true);
    EXPECT_EQ(full.LogPredictive(posterior, rows), logs);
    const DiagonalClassifier diagonal(Names(2), Plain(link));
    const auto rest = diagonal(ToSparse(data, true), diagonal.Prior(), 0);
    const auto sparse = diagonal.LogPredictive(rest, ToSparse(rows, true));
    const auto q = diagonal.Predict(rest, ToSparse({2, {0.2, 0.4}}, false))[0].mean;
    EXPECT_NEAR(sparse[0], std::log(q), 1e-8);
    EXPECT_NEAR(sparse[1], std::log(1 - q), 1e-8);
    EXPECT_TRUE(std::isfinite(sparse[2]) && sparse[2] < -50);
    EXPECT_TRUE(std::isfinite(sparse[3]) && sparse[3] < -50);
  }
}

// What goes wrong with maximum likelihood has a posterior here, and the user learns which
// coefficients the prior decided.
class Hard : public ::testing::TestWithParam<std::tuple<Link, SiteMethod>> {
 protected:
  ClassifierOptions Options() const {
    ClassifierOptions options;
    options.link = std::get<0>(GetParam());
    options.method = std::get<1>(GetParam());
    return options;
  }
};

TEST_P(Hard, SeparableClassesHaveAPosteriorThatThePriorDecides) {
  const Classifier model(Names(1), Options());
  const Table data{2, {-2, 0, -1.5, 0, -1, 0, 1, 1, 1.5, 1, 2, 1}};
  const Dense posterior = model(data, model.Prior(), 0);
  const Estimate slope = model.Describe(posterior)[1];
  EXPECT_GT(slope.mean, 0.5);
  EXPECT_LT(slope.mean, 10);
  if (Options().method == SiteMethod::kEp) {
    EXPECT_THAT(model.Undecided(posterior), ::testing::Contains("coef[x0]"));
  }
  EXPECT_GT(model.Predict(posterior, {1, {2}})[0].mean, 0.8);
}

TEST_P(Hard, AConstantColumnKeepsThePrior) {
  ClassifierOptions options = Options();
  options.origin = {0, 7};
  const Classifier model(Names(2), options);
  Table data{3, {}};
  for (int i = 0; i < 400; ++i) {
    data.values.insert(data.values.end(), {(i % 20) - 9.5, 7.0, (i * 7) % 20 > 8 ? 1.0 : 0.0});
  }
  const Dense posterior = model(data, model.Prior(), 0);
  const Estimate constant = model.Describe(posterior)[2];
  EXPECT_DOUBLE_EQ(constant.mean, 0);
  EXPECT_DOUBLE_EQ(constant.sd, 2.5);
  EXPECT_THAT(model.Undecided(posterior), ElementsAre("coef[x1]"));
}

TEST_P(Hard, TwinColumnsShareTheCoefficient) {
  const Table one = Simulate(500, {1}, 0, Options().link, 1);
  Table twins{3, {}};
  for (size_t i = 0; i < one.size(); ++i) {
    const auto row = one.row(i);
    twins.values.insert(twins.values.end(), {row[0], row[0], row[1]});
  }
  const Classifier model(Names(2), Options());
  const Dense posterior = model(twins, model.Prior(), 0);
  const auto estimates = model.Describe(posterior);
  EXPECT_NEAR(estimates[1].mean, estimates[2].mean, 1e-9);
  EXPECT_NEAR(estimates[1].mean, 0.5, 0.15);
  EXPECT_NEAR(estimates[1].sd, 2.5 / std::sqrt(2.0), 0.05) << "the prior's, given the sum";
  EXPECT_THAT(model.Undecided(posterior), ElementsAre("coef[x0]", "coef[x1]"));
}

TEST_P(Hard, AClassNeverSeenBecomesUnlikelyAndNoMore) {
  const Classifier model(Names(1), Options());
  Table data{2, {}};
  for (int i = 0; i < 50; ++i) data.values.insert(data.values.end(), {i / 25.0 - 1, 1});
  const Dense posterior = model(data, model.Prior(), 0);
  const double p = model.Predict(posterior, {1, {0}})[0].mean;
  EXPECT_GT(p, 0.9);
  EXPECT_LT(p, 1 - 1e-6);
  EXPECT_TRUE(std::isfinite(model.Describe(posterior)[0].mean));
}

// VB is given none; see below.
TEST_P(Hard, AnEnormousOutlierLeavesNumbers) {
  const Classifier model(Names(1), Options());
  const double outlier = Options().method == SiteMethod::kEp ? 1e60 : kMostForVb;
  const Dense posterior = model({2, {1, 1, -1, 0, outlier, 0, 0.5, 1}}, model.Prior(), 0);
  for (const Estimate& e : model.Describe(posterior)) {
    EXPECT_TRUE(std::isfinite(e.mean) && std::isfinite(e.sd)) << e.name;
  }
  EXPECT_THROW(model({2, {1e80, 1}}, model.Prior(), 0), std::domain_error);
}

TEST(Classifier, EpLearnsNothingFromAnOutlierOnTheRightSide) {
  for (const Link link : {Link::kProbit, Link::kLogistic}) {
    const Table data = Simulate(2000, {0.5, -1}, 0.3, link, 3);
    const Classifier model(Names(2), Plain(link));
    const Dense without = model(data, model.Prior(), 0);
    for (const double outlier : {1e3, 1e12, 1e20, 1e60}) {
      Table with = data;
      with.values.insert(with.values.end(), {outlier, 0, 1});
      const Gaussian expected = MomentsOfPosterior(without, 2);
      EXPECT_LT(Distance(MomentsOfPosterior(model(with, model.Prior(), 0), 2), expected), 1e-4);
    }
  }
}

TEST(Classifier, AnOutlierThatIsTooMuchForVbIsRefusedByRowAndFeature) {
  for (const Link link : {Link::kProbit, Link::kLogistic}) {
    const Classifier model(Names(2), Plain(link, SiteMethod::kVb));
    Table data = Simulate(50, {0.5, -1}, 0.3, link, 3);
    data.values[3 * 6 + 1] = -1e12;
    try {
      model(data, model.Prior(), 0);
      FAIL() << "was taken";
    } catch (const std::domain_error& e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr("row 7: feature \"x1\" is -1e+12, more than"));
    }
    data.values[3 * 6 + 1] = -kMostForVb;
    EXPECT_NO_THROW(Solve({MomentsOfPosterior(model(data, model.Prior(), 0), 2).covariance,
                           Eigen::VectorXd::Zero(2)}));
  }
}

TEST(Classifier, VbConvergesOnTheLargestOutlierOnTheWrongSideThatItTakes) {
  for (const Link link : {Link::kProbit, Link::kLogistic}) {
    const Table data = Simulate(2000, {0.5, -1}, 0.3, link, 3);
    Table outlier = data;
    outlier.values = {kMostForVb, 0, 0};
    const Classifier model(Names(2), Plain(link, SiteMethod::kVb));
    const Dense before = model(data, model.Prior(), 0);
    const Dense after = model(outlier, before, 0);
    EXPECT_EQ(model.unconverged(), 0u);
    EXPECT_LT(std::abs(MomentsOfPosterior(after, 2).mean(0)), 0.1);
  }
}

TEST(Classifier, MinibatchesThatDoNotConvergeAreCounted) {
  for (const SiteMethod method : {SiteMethod::kEp, SiteMethod::kVb}) {
    ClassifierOptions options = Plain(Link::kLogistic, method);
    const Table data = Simulate(200, {0.5, -1}, 0.3, Link::kLogistic, 3);
    const Classifier patient(Names(2), options);
    options.max_passes = 1;
    const Classifier hasty(Names(2), options);
    for (int i = 0; i < 2; ++i) {
      patient(data, patient.Prior(), 0);
      hasty(data, hasty.Prior(), 0);
    }
    EXPECT_EQ(patient.unconverged(), 0u);
    EXPECT_EQ(hasty.unconverged(), 2u);
  }
  const DiagonalClassifier hasty({}, {.max_passes = 1});
  hasty({{1}, {0}, {1}, {1}}, hasty.Prior(), 0);
  EXPECT_EQ(hasty.unconverged(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Classifier, Hard,
                         ::testing::Combine(::testing::Values(Link::kProbit, Link::kLogistic),
                                            ::testing::Values(SiteMethod::kEp, SiteMethod::kVb)));

TEST(Classifier, BadOptionsAreRefusedByName) {
  auto message = [](ClassifierOptions options) -> std::string {
    try {
      Classifier(Names(1), options);
      return "";
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
  };
  EXPECT_EQ(message({.sd = -1}), "prior sd is -1, must be a number from 1e-15 to 1e15");
  EXPECT_EQ(message({.origin = {1, 2}}), "origin has 2 numbers for 1 features");
  EXPECT_EQ(message({.scale = {0}}), "scale is 0, must be a number from 1e-200 to 1e200");
  EXPECT_EQ(message({.intercept = false, .origin = {3}}),
            "origin is 3.000000, must be 0 without an intercept");
  EXPECT_EQ(message({.max_passes = 0}), "max_passes is 0, must be at least 1");
  EXPECT_THROW(DiagonalClassifier({}, {.method = SiteMethod::kVb}), std::invalid_argument);
  const Classifier model(Names(1));
  EXPECT_THROW(model({2, {1, 0.5}}, model.Prior(), 0), std::domain_error);
}

}  // namespace
}  // namespace sda
