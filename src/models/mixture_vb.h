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

// Variational Bayes for the rows x (columns of the matrix) with this prior. Starts from the prior
// itself or, if it holds no rows, from the best of several random starts. bounds, if given, gets
// the evidence lower bound before every update.
std::vector<ComponentSums> FitMixture(const Eigen::MatrixXd& x,
                                      const std::vector<ComponentSums>& prior,
                                      const MixtureOptions& options,
                                      std::vector<double>* bounds = nullptr);

}  // namespace sda

#endif  // SDA_MODELS_MIXTURE_VB_H_
