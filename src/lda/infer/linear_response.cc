#include "lda/infer/linear_response.h"

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <numeric>

namespace sda::lda {
namespace {

constexpr double kFewTokens = 1e-4;  // a topic with fewer adds nothing to any variance

// At the optimum the eigenvalues of S are below 1. Updates that stopped before it may leave a topic
// that is about to lose its tokens, with one above.
constexpr double kMaxEigenvalue = 0.999;

std::vector<size_t> TopicsWithTokens(const KnownTopics& topics, std::span<const double> gamma) {
  std::vector<size_t> found;
  for (size_t k = 0; k < gamma.size(); ++k) {
    if (gamma[k] - topics.alpha[k] > kFewTokens) found.push_back(k);
  }
  if (found.size() > LinearResponse::kMaxTopics) {
    const auto tokens = [&](size_t k) { return gamma[k] - topics.alpha[k]; };
    std::nth_element(found.begin(), found.begin() + LinearResponse::kMaxTopics, found.end(),
                     [&](size_t a, size_t b) { return tokens(a) > tokens(b); });
    found.resize(LinearResponse::kMaxTopics);
  }
  return found;
}

// phi_w, over these topics: proportional to exp(E[log theta_k] + E[log beta_kw]).
Eigen::VectorXd Responsibilities(std::span<const double> row, const std::vector<size_t>& which,
                                 const Eigen::VectorXd& log_weights) {
  Eigen::VectorXd phi(which.size());
  for (size_t i = 0; i < which.size(); ++i) {
    phi[i] = log_weights[i] + boost::math::digamma(row[which[i]]);
  }
  phi = (phi.array() - phi.maxCoeff()).exp();
  return phi / phi.sum();
}

// L = sum_w n_w (diag(phi_w) - phi_w phi_w^T).
Eigen::MatrixXd Spread(const KnownTopics& topics, const KnownDocument& document,
                       const std::vector<size_t>& which, std::span<const double> gamma) {
  Eigen::VectorXd log_weights(which.size());
  for (size_t i = 0; i < which.size(); ++i) {
    log_weights[i] =
        boost::math::digamma(gamma[which[i]]) - boost::math::digamma(topics.sums[which[i]]);
  }
  Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(which.size(), which.size());
  for (size_t w = 0; w < document.rows.size(); ++w) {
    const Eigen::VectorXd phi = Responsibilities(document.rows[w], which, log_weights);
    spread.selfadjointView<Eigen::Lower>().rankUpdate(phi, -document.counts[w]);
    spread.diagonal() += document.counts[w] * phi;
  }
  return spread.selfadjointView<Eigen::Lower>();
}

}  // namespace

LinearResponse::LinearResponse(const KnownTopics& topics, const KnownDocument& document,
                               std::span<const double> gamma)
    : gamma_(gamma), sum_(std::accumulate(gamma.begin(), gamma.end(), 0.0)) {
  for (size_t k = 0; k < gamma.size(); ++k) {
    variances_.push_back(Mean(k) * (1 - Mean(k)) / (sum_ + 1));
  }
  const std::vector<size_t> which = TopicsWithTokens(topics, gamma);
  if (which.size() < 2) return;  // no token could have another topic
  Eigen::VectorXd d(which.size());
  for (size_t i = 0; i < which.size(); ++i) d[i] = boost::math::trigamma(gamma[which[i]]);
  const Eigen::VectorXd root = d.cwiseSqrt();
  const Eigen::MatrixXd s =
      root.asDiagonal() * Spread(topics, document, which, gamma) * root.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(s);
  const Eigen::ArrayXd eigenvalues = solved.eigenvalues().array().max(0.0).min(kMaxEigenvalue);
  const Eigen::VectorXd amplified = eigenvalues / (1 - eigenvalues);  // of (I - S)^-1 - I
  for (size_t i = 0; i < which.size(); ++i) {
    const double added = solved.eigenvectors().row(i).cwiseAbs2().dot(amplified) / d[i];
    variances_[which[i]] += added / (sum_ * sum_);
  }
}

BetaMixture LinearResponse::Posterior(size_t topic) const {
  const double mean = Mean(topic);
  if (!(mean < 1)) return {1, 0};
  // A distribution on [0, 1] with a variance of mean (1 - mean) would be two points.
  const double size = std::max(mean * (1 - mean) / Variance(topic) - 1, 1e-3);
  return {mean * size, (1 - mean) * size};
}

}  // namespace sda::lda
