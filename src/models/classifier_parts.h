#ifndef SDA_MODELS_CLASSIFIER_PARTS_H_
#define SDA_MODELS_CLASSIFIER_PARTS_H_

#include <string>
#include <vector>

#include "sda/classifier.h"

namespace sda {

// What the two classifiers share.

// A coefficient is undecided if the posterior's standard deviation is above this share of the
// prior's.
inline constexpr double kUndecidedShare = 0.5;

inline double OriginOf(const ClassifierOptions& options, size_t feature) {
  return options.origin.empty() ? 0 : options.origin[feature];
}
inline double ScaleOf(const ClassifierOptions& options, size_t feature) {
  return options.scale.empty() ? 1 : options.scale[feature];
}

// (x - origin) / scale. Throws std::domain_error naming the feature if it is too large to square.
double Standardize(const ClassifierOptions& options, const std::vector<std::string>& features,
                   size_t feature, double x);

// 1 for class 1 and -1 for class 0. Throws std::domain_error for any other number.
double SignOf(double target);

// The probability of class 1 when its score is Normal(mean, variance).
Estimate ProbabilityEstimate(Link link, double mean, double variance);

}  // namespace sda

#endif  // SDA_MODELS_CLASSIFIER_PARTS_H_
