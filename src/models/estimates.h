#ifndef SDA_MODELS_ESTIMATES_H_
#define SDA_MODELS_ESTIMATES_H_

#include <string>
#include <vector>

#include "sda/models.h"

namespace sda {

// The distributions that the models' marginal posteriors belong to, as estimates.
Estimate BetaEstimate(std::string name, double a, double b);
Estimate GammaEstimate(std::string name, double shape, double rate);
Estimate NormalEstimate(std::string name, double mean, double sd);
// location + scale * t with `dof` degrees of freedom.
Estimate StudentEstimate(std::string name, double location, double scale, double dof);
// 1 / sqrt(x) for x ~ Gamma(shape, rate): a standard deviation whose precision is x.
Estimate InverseRootGammaEstimate(std::string name, double shape, double rate);

// The log density at x of the distribution of StudentEstimate().
double LogStudentDensity(double x, double location, double scale, double dof);

// Throws UsageError naming the prior's field and value.
void CheckPositive(const char* field, double value);
void CheckNotNegative(const char* field, double value);
// Of columns. They throw UsageError naming the value.
void CheckOrigins(const std::vector<double>& origins);
void CheckScales(const std::vector<double>& scales);

}  // namespace sda

#endif  // SDA_MODELS_ESTIMATES_H_
