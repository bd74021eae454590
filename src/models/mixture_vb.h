#ifndef SDA_MODELS_MIXTURE_VB_H_
#define SDA_MODELS_MIXTURE_VB_H_

#include <Eigen/Dense>
#include <vector>

#include "sda/mixture.h"

namespace sda {

// Natural parameters of one component of p columns: the prior's share plus what the rows add.
struct ComponentSums {
  double rows = 0;         // + responsibility
  Eigen::VectorXd sum;     // + responsibility * x
  Eigen::MatrixXd square;  // + responsibility * x x'
};

// The same as Normal-Wishart and Dirichlet parameters: precision ~ Wishart(dof, inverse of
// scatter), mean | precision ~ Normal(mean, strength * precision), share ~
// Dirichlet(concentration).
struct ComponentPosterior {
  double concentration;
  double strength;
  double dof;
  Eigen::VectorXd mean;
  Eigen::MatrixXd scatter;
  Eigen::MatrixXd factor;  // scatter = factor factor', lower triangular
  double log_det_scatter;
};
// Throws std::domain_error if the scatter is not positive definite.
ComponentPosterior PosteriorOf(const ComponentSums& sums, const MixtureOptions& options);

// What is known of the rows for knowing only by responsibilities r which component they came from.
// A row x adds r_k u to the sums of component k, with u = (1, x, products of x). Under a posterior
// with other sums it would have other responsibilities, and to first order, where both posteriors'
// sums are divided by their rows (their moments), it would add
//   missing whole^-1 (other moments - moments)    more, with
//   whole   = r_k u u' of each component           what it says of the component if r is certain,
//   missing = (diag(r) - r r') x u u'             the part of that which r is not certain of
// (Louis 1982). All are sums over rows, so they add over minibatches in any order. The later a row
// the better the posterior it is seen under, so the two matrices, of which only the ratio matters,
// are weighted by the square of the rows of that posterior.
struct MixtureInformation {
  double rows = 0;
  Eigen::VectorXd moments;
  std::vector<Eigen::MatrixXd> whole;
  Eigen::MatrixXd missing;

  bool kept() const { return moments.size() > 0; }
};

// A posterior, or what rows add to it.
struct MixtureState {
  std::vector<ComponentSums> sums;
  MixtureInformation information;
};

// Variational Bayes for the rows x (columns of the matrix) with this prior. Starts from the prior
// itself or, if it holds no rows, from the best of several random starts. Returns what the rows add
// to the prior. bounds, if given, gets the evidence lower bound before every update.
MixtureState FitMixture(const Eigen::MatrixXd& x, const MixtureState& prior,
                        const MixtureOptions& options, std::vector<double>* bounds = nullptr);

}  // namespace sda

#endif  // SDA_MODELS_MIXTURE_VB_H_
