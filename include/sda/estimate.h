#ifndef SDA_ESTIMATE_H_
#define SDA_ESTIMATE_H_

#include <string>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// What is known of one quantity: a posterior or predictive distribution in four numbers.
struct Estimate {
  std::string name;
  double mean = 0;   // infinite or NaN where the distribution has none
  double sd = 0;     // likewise
  double lower = 0;  // 95% credible interval, equal tails
  double upper = 0;
  bool approximate = false;  // it may hold the truth more or less often: docs/uncertainty.md
};

}  // namespace sda

#endif  // SDA_ESTIMATE_H_
