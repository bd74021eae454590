// Variational Bayes for a mixture of Gaussians (Attias 2000; Bishop, section 10.2). With p columns,
// component k with share ~ Dirichlet(a_k), precision ~ Wishart(n_k, S_k^-1) and mean ~ Normal(m_k,
// b_k * precision):
//   log r_ik = E[log share_k] + E[log |precision_k|] / 2 - p / 2 log 2 pi
//              - (p / b_k + n_k (x_i - m_k)' S_k^-1 (x_i - m_k)) / 2     + constant_i
//   sums_k  <- prior_k + sum over i of r_ik (1, x_i, x_i x_i')
//   bound    = sum over i of log sum_k exp(log r_ik) - KL(shares) - sum over k of KL(component k)

#include "models/mixture_vb.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>

#include "models/mixture_information.h"

namespace sda {
namespace {

using boost::math::digamma;
using Eigen::MatrixXd;
using Eigen::VectorXd;

using Posteriors = std::vector<ComponentPosterior>;
using Sums = std::vector<ComponentSums>;

Posteriors PosteriorsOf(const Sums& sums, const MixtureOptions& options) {
  Posteriors posteriors;
  for (const ComponentSums& s : sums) posteriors.push_back(PosteriorOf(s, options));
  return posteriors;
}

double TotalConcentration(const Posteriors& q) {
  double total = 0;
  for (const ComponentPosterior& k : q) total += k.concentration;
  return total;
}

// Sums of digamma and lgamma over the dimensions of a Wishart with this many degrees of freedom.
double MultivariateDigamma(double dof, Eigen::Index p) {
  double sum = 0;
  for (Eigen::Index j = 0; j < p; ++j) sum += digamma((dof - static_cast<double>(j)) / 2);
  return sum;
}
double MultivariateLogGamma(double dof, Eigen::Index p) {
  double sum = 0;
  for (Eigen::Index j = 0; j < p; ++j)
    sum += boost::math::lgamma((dof - static_cast<double>(j)) / 2);
  return sum;
}

// Responsibilities, rows x components; returns the sum of the logarithms of their normalisers.
double Responsibilities(const MatrixXd& x, const Posteriors& q, const Context& context,
                        MatrixXd* r) {
  const auto p = static_cast<double>(x.rows());
  const double total = TotalConcentration(q);
  r->resize(x.cols(), static_cast<Eigen::Index>(q.size()));
  for (size_t k = 0; k < q.size(); ++k) {
    context.ThrowIfInterrupted();
    const double log_det =
        MultivariateDigamma(q[k].dof, x.rows()) + p * std::log(2.0) - q[k].log_det_scatter;
    const double constant = digamma(q[k].concentration) - digamma(total) + log_det / 2 -
                            p / 2 * std::log(2 * std::acos(-1.0)) - p / (2 * q[k].strength);
    const MatrixXd scaled =
        q[k].factor.triangularView<Eigen::Lower>().solve(x.colwise() - q[k].mean);
    r->col(static_cast<Eigen::Index>(k)) =
        constant - q[k].dof / 2 * scaled.colwise().squaredNorm().transpose().array();
  }
  const VectorXd largest = r->rowwise().maxCoeff();
  *r = (r->colwise() - largest).array().exp();
  const VectorXd normaliser = r->rowwise().sum();
  *r = r->array().colwise() / normaliser.array();
  return largest.sum() + normaliser.array().log().sum();
}

Sums SumsOf(const MatrixXd& x, const MatrixXd& r, const Sums& prior) {
  Sums sums = prior;
  for (size_t k = 0; k < sums.size(); ++k) {
    const VectorXd weights = r.col(static_cast<Eigen::Index>(k));
    sums[k].rows += weights.sum();
    sums[k].sum += x * weights;
    const MatrixXd scaled = x * weights.cwiseSqrt().asDiagonal();
    sums[k].square.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
    sums[k].square.triangularView<Eigen::StrictlyUpper>() = sums[k].square.transpose();
  }
  return sums;
}

Sums NoRows(Sums like) {
  for (ComponentSums& k : like) {
    k.rows = 0;
    k.sum.setZero();
    k.square.setZero();
  }
  return like;
}

// KL(q || prior) of one component's Normal-Wishart.
double ComponentDivergence(const ComponentPosterior& q, const ComponentPosterior& prior) {
  const auto p = static_cast<double>(q.mean.size());
  auto solve = [&](const auto& b) {
    return q.factor.triangularView<Eigen::Lower>().solve(b).eval();
  };
  const double ratio = prior.strength / q.strength;
  const double shift = solve(q.mean - prior.mean).squaredNorm();
  const double of_mean = (p * ratio - p - p * std::log(ratio) + prior.strength * q.dof * shift) / 2;
  const double trace = solve(prior.factor).squaredNorm();  // of S_prior S_q^-1
  const double of_precision =
      -prior.dof / 2 * (prior.log_det_scatter - q.log_det_scatter) + q.dof / 2 * (trace - p) +
      MultivariateLogGamma(prior.dof, q.mean.size()) - MultivariateLogGamma(q.dof, q.mean.size()) +
      (q.dof - prior.dof) / 2 * MultivariateDigamma(q.dof, q.mean.size());
  return of_mean + of_precision;
}

double Divergence(const Posteriors& q, const Posteriors& prior) {
  const double total = TotalConcentration(q);
  const double prior_total = TotalConcentration(prior);
  double sum = boost::math::lgamma(total) - boost::math::lgamma(prior_total);
  for (size_t k = 0; k < q.size(); ++k) {
    const double a = q[k].concentration;
    const double b = prior[k].concentration;
    sum +=
        boost::math::lgamma(b) - boost::math::lgamma(a) + (a - b) * (digamma(a) - digamma(total));
    sum += ComponentDivergence(q[k], prior[k]);
  }
  return sum;
}

void Add(const MixtureState& change, MixtureState* state) {
  for (size_t k = 0; k < change.sums.size(); ++k) {
    state->sums[k].rows += change.sums[k].rows;
    state->sums[k].sum += change.sums[k].sum;
    state->sums[k].square += change.sums[k].square;
    state->information.whole[k] += change.information.whole[k];
  }
  state->information.rows += change.information.rows;
  state->information.moments += change.information.moments;
  state->information.missing += change.information.missing;
}

struct Fitted {
  Sums sums;       // of the prior and the rows
  MatrixXd r;      // of the rows, under the posterior with
  VectorXd place;  // these sums
  double bound = -std::numeric_limits<double>::infinity();
};

// response: of the prior's rows, whose responsibilities move with those of the rows; null: they
// stay, and the bound never decreases.
Fitted Ascend(const MatrixXd& x, const Sums& prior, const Response* response, Sums start,
              int iterations, const MixtureOptions& options, std::vector<double>* bounds) {
  const Posteriors prior_q = PosteriorsOf(prior, options);
  Fitted fitted{std::move(start)};
  for (int i = 0; i < iterations; ++i) {
    const Posteriors q = PosteriorsOf(fitted.sums, options);
    const double bound =
        Responsibilities(x, q, options.context, &fitted.r) - Divergence(q, prior_q);
    if (bounds != nullptr) bounds->push_back(bound);
    fitted.place = Flat(fitted.sums);
    const double rows = RowsOf(fitted.sums);
    fitted.sums =
        SumsOf(x, fitted.r, response == nullptr ? prior : response->At(fitted.place / rows));
    const double gain = response == nullptr ? bound - fitted.bound
                                            : response->Gain(Flat(fitted.sums) - fitted.place);
    fitted.bound = bound;
    if (gain < options.tolerance * static_cast<double>(x.cols())) break;
  }
  return fitted;
}

// Each row belongs to the nearest of as many centres as there are components, which are rows drawn
// with a probability that grows as the squared distance from the centres before (k-means++).
MatrixXd RandomStart(const MatrixXd& x, size_t components, std::mt19937_64* random) {
  const Eigen::Index n = x.cols();
  VectorXd distance = VectorXd::Constant(n, std::numeric_limits<double>::infinity());
  std::vector<Eigen::Index> nearest(n, 0);
  Eigen::Index centre = std::uniform_int_distribution<Eigen::Index>(0, n - 1)(*random);
  for (size_t k = 0; k < components; ++k) {
    for (Eigen::Index i = 0; i < n; ++i) {
      const double d = (x.col(i) - x.col(centre)).squaredNorm();
      if (d < distance(i)) {
        distance(i) = d;
        nearest[i] = static_cast<Eigen::Index>(k);
      }
    }
    double left = std::uniform_real_distribution<double>(0, distance.sum())(*random);
    for (centre = 0; centre + 1 < n && (left -= distance(centre)) > 0;) ++centre;
  }
  MatrixXd r = MatrixXd::Zero(n, static_cast<Eigen::Index>(components));
  for (Eigen::Index i = 0; i < n; ++i) r(i, nearest[i]) = 1;
  return r;
}

// The best of several starts, each judged after a few iterations on some of the rows.
Sums BestStart(const MatrixXd& x, const Sums& prior, const MixtureOptions& options) {
  constexpr Eigen::Index kMostRows = 3000;
  constexpr int kIterations = 20;
  std::mt19937_64 random(options.seed);
  MatrixXd some = x;
  if (x.cols() > kMostRows) {
    std::vector<Eigen::Index> rows(x.cols());
    for (Eigen::Index i = 0; i < x.cols(); ++i) rows[i] = i;
    std::shuffle(rows.begin(), rows.end(), random);
    rows.resize(kMostRows);
    some = x(Eigen::all, rows);
  }
  Fitted best;
  for (int i = 0; i < options.restarts; ++i) {
    const MatrixXd r = RandomStart(some, options.components, &random);
    Fitted fitted =
        Ascend(some, prior, nullptr, SumsOf(some, r, prior), kIterations, options, nullptr);
    if (fitted.bound > best.bound) best = std::move(fitted);
  }
  return best.sums;
}

// What rows add to the prior, at this fit.
MixtureState ChangeOf(const MatrixXd& x, const Fitted& fitted, const MixtureState& prior) {
  MixtureState change{SumsOf(x, fitted.r, NoRows(prior.sums)), {}};
  if (prior.information.kept()) {
    change.information = InformationOf(x, fitted.r, fitted.place, RowsOf(fitted.sums));
  }
  return change;
}

// Components that overlap much need hundreds of iterations. The response to what is missing leads
// where they would end, in a few.
MixtureState Polished(const MatrixXd& x, const Fitted& fitted, const MixtureState& prior,
                      const MixtureOptions& options) {
  constexpr int kSteps = 5;
  constexpr double kClose = 1e-4;
  MixtureState change = ChangeOf(x, fitted, prior);
  if (!prior.information.kept()) return change;
  Fitted there = fitted;
  for (int i = 0; i < kSteps; ++i) {
    MixtureState both = prior;
    Add(change, &both);
    const Response response(both, options);
    there.sums = response.Settled();
    const VectorXd step = Flat(there.sums) - there.place;
    if (response.Gain(step) < kClose) break;
    there.place += step;
    Responsibilities(x, PosteriorsOf(there.sums, options), options.context, &there.r);
    change = ChangeOf(x, there, prior);
  }
  return change;
}

}  // namespace

ComponentPosterior PosteriorOf(const ComponentSums& sums, const MixtureOptions& options) {
  const auto p = sums.sum.size();
  ComponentPosterior q;
  q.concentration = options.concentration + sums.rows;
  q.strength = options.weight + sums.rows;
  q.dof = static_cast<double>(p) + 2 + sums.rows;
  q.mean = sums.sum / q.strength;
  q.scatter = sums.square - sums.sum * q.mean.transpose();
  const Eigen::LLT<MatrixXd> llt(q.scatter);
  if (llt.info() != Eigen::Success) {
    throw std::domain_error("the covariance of a component is not positive definite");
  }
  q.factor = llt.matrixL();
  q.log_det_scatter = 2 * q.factor.diagonal().array().log().sum();
  return q;
}

MixtureState FitMixture(const MatrixXd& x, const MixtureState& prior, const MixtureOptions& options,
                        std::vector<double>* bounds) {
  std::optional<Response> response;
  if (prior.information.rows > 0) response.emplace(prior, options);
  const Sums start = response                 ? response->Settled()
                     : RowsOf(prior.sums) > 0 ? prior.sums
                                              : BestStart(x, prior.sums, options);
  const Fitted fitted = Ascend(x, prior.sums, response ? &*response : nullptr, start,
                               options.max_iterations, options, bounds);
  return Polished(x, fitted, prior, options);
}

}  // namespace sda
