#ifndef SDA_MODELS_LIKELIHOOD_H_
#define SDA_MODELS_LIKELIHOOD_H_

#include "sda/classifier.h"

namespace sda {

// One-dimensional integrals of a likelihood over a Gaussian: with f ~ Normal(m, v),
//   Z(m) = E[link(f)],   link = Phi (probit) or 1 / (1 + e^-f) (logistic).
// All are accurate to 1e-10 (relative for the slopes where they matter, absolute for
// probabilities), also far in the tails. Logistic: the trapezoidal rule, whose error for a function
// that is analytic in the strip |Im f| < pi falls as exp(-2 pi^2 / step); for v > 1e6 the logistic
// is as good as a step of the same variance.

// d log Z / dm and -d^2 log Z / dm^2. Both links are log-concave, so 0 <= second < 1 / v: a
// Gaussian that matches the moments is never wider than the one it came from.
struct Slopes {
  double first;
  double second;
};
Slopes SlopesOf(Link link, double m, double v);

// E[link(f)] and the standard deviation of link(f).
struct ProbabilityMoments {
  double mean;
  double sd;
};
ProbabilityMoments MomentsOf(Link link, double m, double v);

// log E[link(f)], to 1e-10 of itself or of 1: not of the mean above, which is 0 far in the tail.
double LogMeanOf(Link link, double m, double v);

double LinkValue(Link link, double f);

// phi(z) / Phi(z).
double InverseMills(double z);

}  // namespace sda

#endif  // SDA_MODELS_LIKELIHOOD_H_
