// Components that overlap: what rows say of them for not knowing which component they came from.

#include "models/mixture_information.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sda/loop.h"
#include "sda/mixture.h"

namespace sda {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Estimate Named(const std::vector<Estimate>& estimates, const std::string& name) {
  for (const Estimate& e : estimates) {
    if (e.name == name) return e;
  }
  ADD_FAILURE() << "no estimate " << name;
  return {};
}

MixtureOptions WithComponents(size_t components) {
  MixtureOptions options;
  options.components = components;
  return options;
}

// The prior of two components of one column.
std::vector<ComponentSums> NoRows() {
  return std::vector<ComponentSums>(2, {0, VectorXd::Zero(1), 0.09 * MatrixXd::Identity(1, 1)});
}

// Two clusters that overlap: 3 standard deviations apart.
Table Overlapping(int rows, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> z;
  Table table{1, {}};
  for (int i = 0; i < rows; ++i) {
    table.values.push_back((std::bernoulli_distribution(0.4)(random) ? 1.5 : -1.5) + z(random));
  }
  return table;
}

// What the information of rows says they would add elsewhere is what they do add there.
TEST(MixtureInformation, TheInformationIsTheDerivativeOfTheSumsByThePlace) {
  MixtureOptions options = WithComponents(2);
  const Table rows = Overlapping(20000, 1);
  const MatrixXd x = Eigen::Map<const MatrixXd>(rows.values.data(), 1, 20000);
  MixtureState state{NoRows(), NoInformation(6, 2)};
  const MixtureState change = FitMixture(x, state, options);
  for (size_t k = 0; k < 2; ++k) {
    state.sums[k].rows += change.sums[k].rows;
    state.sums[k].sum += change.sums[k].sum;
    state.sums[k].square += change.sums[k].square;
  }
  state.information = change.information;
  const Response response(state, options);
  EXPECT_LT((response.Gain(Flat(response.Settled()) - Flat(state.sums))), 1e-3)
      << "one minibatch is where it says it is";

  // Means 0.1 further apart, and the responsibilities of the densities there.
  std::vector<ComponentSums> moved = state.sums;
  for (ComponentSums& k : moved) {
    const double by = k.sum(0) > 0 ? 0.05 : -0.05;
    k.square(0, 0) += 2 * by * k.sum(0) + by * by * k.rows;
    k.sum(0) += by * k.rows;
  }
  std::vector<ComponentSums> there = NoRows();
  const ComponentPosterior q[] = {PosteriorOf(moved[0], options), PosteriorOf(moved[1], options)};
  for (Eigen::Index i = 0; i < x.cols(); ++i) {
    double density[2];
    for (int k = 0; k < 2; ++k) {
      const double variance = q[k].scatter(0, 0) / q[k].dof;
      const double d = x(0, i) - q[k].mean(0);
      density[k] = q[k].concentration / std::sqrt(variance) * std::exp(-d * d / (2 * variance));
    }
    for (int k = 0; k < 2; ++k) {
      const double r = density[k] / (density[0] + density[1]);
      there[k].rows += r;
      there[k].sum(0) += r * x(0, i);
      there[k].square(0, 0) += r * x(0, i) * x(0, i);
    }
  }
  const VectorXd predicted = Flat(response.At(Flat(moved) / RowsOf(moved))) - Flat(state.sums);
  const VectorXd found = Flat(there) - Flat(state.sums);
  EXPECT_LT((predicted - found).norm(), 0.1 * found.norm());
  EXPECT_GT(found.norm(), 50);
}

// Deltas add in any order, and rows move between components without being lost.
TEST(MixtureInformation, RowsAreNeitherLostNorMadeWhereTheyMove) {
  MixtureOptions options = WithComponents(2);
  const Mixture model({"x"}, options);
  MemorySource<Table> source(Split(Overlapping(3000, 2), 250));
  MemoryStore<Dense> store(model.Prior());
  sda::Run(source, model, store,
           {.schedule = Schedule::kAsynchronous, .workers = 4, .serial_first = 1});
  const auto estimates = model.Describe(store.Read().params);
  EXPECT_NEAR(Named(estimates, "weight[1]").mean + Named(estimates, "weight[2]").mean, 1, 1e-9);
  const Dense posterior = store.Read().params;
  EXPECT_NEAR(posterior[0] + posterior[3], 3000, 1e-8);
}

TEST(MixtureInformation, WithoutTheInformationOverlappingComponentsSayApproximate) {
  MixtureOptions options = WithComponents(2);
  const Mixture joint({"x"}, options);
  options.joint = false;
  const Mixture alone({"x"}, options);
  const Table rows = Overlapping(5000, 3);
  const auto right = joint.Describe(joint(rows, joint.Prior(), 0));
  const auto narrow = alone.Describe(alone(rows, alone.Prior(), 0));
  EXPECT_FALSE(Named(right, "mean[1,x]").approximate);
  EXPECT_TRUE(Named(narrow, "mean[1,x]").approximate);
  EXPECT_GT(Named(right, "mean[1,x]").sd, 1.5 * Named(narrow, "mean[1,x]").sd);
}

TEST(MixtureInformation, OfNoRowsIsRefused) {
  const Mixture model({"x"}, WithComponents(2));
  Dense posterior = model(Overlapping(500, 4), model.Prior(), 0);
  EXPECT_FALSE(model.FaultIn(posterior));
  posterior[posterior.size() - 1] *= 1e3;  // more is missing than the rows could say
  EXPECT_TRUE(model.FaultIn(posterior));
  posterior[posterior.size() - 1] = std::nan("");
  EXPECT_TRUE(model.FaultIn(posterior));
}

}  // namespace
}  // namespace sda
