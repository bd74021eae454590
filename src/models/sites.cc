#include "models/sites.h"

#include <cmath>
#include <stdexcept>

#include "models/likelihood.h"

namespace sda {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Row i's factor is exp(linear_i f - precision_i f^2 / 2) of its score f = x_i'w.
struct Sites {
  explicit Sites(Eigen::Index rows)
      : precision(VectorXd::Zero(rows)), linear(VectorXd::Zero(rows)) {}

  NaturalGaussian Sum(const MatrixXd& x) const {
    NaturalGaussian sum{MatrixXd::Zero(x.rows(), x.rows()), x * linear};
    // Scaled by the roots, the product is symmetric and positive semidefinite as computed.
    const MatrixXd scaled = x * precision.cwiseSqrt().asDiagonal();
    sum.precision.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
    sum.precision.triangularView<Eigen::StrictlyUpper>() = sum.precision.transpose();
    return sum;
  }

  VectorXd precision;
  VectorXd linear;
};

Gaussian SolveWith(const NaturalGaussian& prior, const NaturalGaussian& sites) {
  return Solve({prior.precision + sites.precision, prior.linear + sites.linear});
}

bool Converged(const Gaussian& before, const Gaussian& after, double tolerance) {
  for (Eigen::Index j = 0; j < after.mean.size(); ++j) {
    const double variance = after.covariance(j, j);
    if (!(std::abs(after.mean(j) - before.mean(j)) <= tolerance * std::sqrt(variance)))
      return false;
    if (!(std::abs(variance - before.covariance(j, j)) <= tolerance * variance)) return false;
  }
  return true;
}

// One pass of expectation propagation (Minka 2001), each site in turn: take the site out of the
// posterior (the cavity), put the true factor in, match mean and variance of the score. q follows
// by rank-one updates, which drift by rounding: the caller solves again after each pass.
void EpPass(const MatrixXd& x, const VectorXd& signs, const ClassifierOptions& options, double step,
            Sites* sites, Gaussian* q) {
  VectorXd u(x.rows());
  for (Eigen::Index i = 0; i < x.cols(); ++i) {
    options.context.ThrowIfInterrupted();
    u.noalias() = q->covariance * x.col(i);
    const double variance = x.col(i).dot(u);
    const double mean = x.col(i).dot(q->mean);
    const double cavity_precision = 1 / variance - sites->precision(i);
    // Only rounding can make it so: the others and the prior have positive precision.
    if (!(cavity_precision * variance > 1e-9)) continue;
    const double cavity_variance = 1 / cavity_precision;
    const double cavity_mean = cavity_variance * (mean / variance - sites->linear(i));
    const Slopes slopes = SlopesOf(options.link, signs(i) * cavity_mean, cavity_variance);
    const double left = 1 - cavity_variance * slopes.second;  // of the variance
    if (!(left > 1e-9)) continue;
    const double precision = slopes.second / left;
    const double linear = (cavity_mean * slopes.second + signs(i) * slopes.first) / left;

    const double more_precision = step * (precision - sites->precision(i));
    const double more_linear = step * (linear - sites->linear(i));
    sites->precision(i) += more_precision;
    sites->linear(i) += more_linear;
    const double growth = 1 + more_precision * variance;
    q->mean += u * ((more_linear - more_precision * mean) / growth);
    q->covariance.noalias() -= (more_precision / growth * u) * u.transpose();
  }
}

// The Jaakkola-Jordan bound of the logistic function, tight at +-xi:
// 1 / (1 + e^-f) >= exp(f / 2 - lambda(xi) f^2 + ...), lambda(xi) = tanh(xi / 2) / (4 xi); best at
// xi^2 = E[f^2].
void JaakkolaJordanUpdate(const VectorXd& means, const VectorXd& variances, const VectorXd& signs,
                          Sites* sites) {
  for (Eigen::Index i = 0; i < means.size(); ++i) {
    const double xi = std::sqrt(variances(i) + means(i) * means(i));
    sites->precision(i) = xi > 1e-4 ? std::tanh(xi / 2) / (2 * xi) : 0.25 - xi * xi / 48;
    sites->linear(i) = signs(i) / 2;
  }
}

// Probit with a latent z ~ Normal(f, 1), class 1 if z > 0, and q(w, z) = q(w) q(z):
// E[z] = E[f] + sign phi(E[f]) / Phi(sign E[f]), and z is then as good as a measurement of f.
void LatentScoreUpdate(const VectorXd& means, const VectorXd& signs, Sites* sites) {
  for (Eigen::Index i = 0; i < means.size(); ++i) {
    sites->precision(i) = 1;
    sites->linear(i) = means(i) + signs(i) * InverseMills(signs(i) * means(i));
  }
}

}  // namespace

Gaussian Solve(const NaturalGaussian& natural) {
  const Eigen::LLT<MatrixXd> factor(natural.precision);
  if (factor.info() != Eigen::Success) {
    throw std::domain_error(kNotDefinite);
  }
  const auto p = natural.linear.size();
  return {factor.solve(natural.linear), factor.solve(MatrixXd::Identity(p, p))};
}

SumOfSites EpSites(const MatrixXd& x, const VectorXd& signs, const NaturalGaussian& prior,
                   const ClassifierOptions& options) {
  constexpr int kUndamped = 10;  // passes; few minibatches need more
  Sites sites(x.cols());
  SumOfSites done;
  Gaussian q = Solve(prior);
  for (int pass = 0; pass < options.max_passes && !done.converged; ++pass) {
    const Gaussian before = q;
    EpPass(x, signs, options, pass < kUndamped ? 1 : 0.5, &sites, &q);
    done.sum = sites.Sum(x);
    q = SolveWith(prior, done.sum);
    done.converged = Converged(before, q, options.tolerance);
  }
  return done;
}

SumOfSites VbSites(const MatrixXd& x, const VectorXd& signs, const NaturalGaussian& prior,
                   const ClassifierOptions& options) {
  Sites sites(x.cols());
  SumOfSites done;
  Gaussian q = Solve(prior);
  for (int pass = 0; pass < options.max_passes && !done.converged; ++pass) {
    options.context.ThrowIfInterrupted();
    const VectorXd means = x.transpose() * q.mean;
    if (options.link == Link::kLogistic) {
      const VectorXd variances = (q.covariance * x).cwiseProduct(x).colwise().sum();
      JaakkolaJordanUpdate(means, variances, signs, &sites);
    } else {
      LatentScoreUpdate(means, signs, &sites);
    }
    done.sum = sites.Sum(x);
    const Gaussian before = q;
    q = SolveWith(prior, done.sum);
    // Its steps shrink by a constant factor, often above a half: stop later than EP does.
    done.converged = Converged(before, q, options.tolerance / 10);
  }
  return done;
}

}  // namespace sda
