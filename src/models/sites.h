#ifndef SDA_MODELS_SITES_H_
#define SDA_MODELS_SITES_H_

#include <Eigen/Dense>

#include "sda/classifier.h"

namespace sda {

// A Gaussian by precision and precision times mean.
struct NaturalGaussian {
  Eigen::MatrixXd precision;
  Eigen::VectorXd linear;
};

struct SumOfSites {
  NaturalGaussian sum;
  bool converged = false;  // or max_passes were not enough
};

// The factors of a minibatch's rows, link(sign_i x_i'w) with x_i the columns of x and sign_i = 1 or
// -1, as Gaussian factors exp(linear' w - w' precision w / 2): the sum of all. The precision is
// positive semidefinite.
SumOfSites EpSites(const Eigen::MatrixXd& x, const Eigen::VectorXd& signs,
                   const NaturalGaussian& prior, const ClassifierOptions& options);
SumOfSites VbSites(const Eigen::MatrixXd& x, const Eigen::VectorXd& signs,
                   const NaturalGaussian& prior, const ClassifierOptions& options);

inline constexpr const char* kNotDefinite =
    "the precision of the coefficients is not positive definite";

// Mean and covariance. Throws std::domain_error if the precision is not positive definite.
struct Gaussian {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};
Gaussian Solve(const NaturalGaussian& natural);

}  // namespace sda

#endif  // SDA_MODELS_SITES_H_
