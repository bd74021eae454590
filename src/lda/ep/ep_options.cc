#include <cmath>

#include "lda/require.h"
#include "sda/lda_ep.h"

namespace sda {

using lda::Require;

LdaSpec EpSpec(int topics, uint64_t vocabulary) {
  return {.topics = topics, .vocabulary = vocabulary, .eta = 1};
}

void EpOptions::Validate() const {
  Require(damping >= 0 && damping < 1, "damping", damping, "at least 0 and below 1");
  Require(tolerance >= 0, "tolerance", tolerance, "at least 0");
  Require(sweeps >= 1 && sweeps <= 1000, "sweeps", sweeps, "between 1 and 1000");
  Require(start_sweeps >= 1, "start_sweeps", start_sweeps, "at least 1");
  Require(noise_scale > 0 && std::isfinite(noise_scale), "noise_scale", noise_scale,
          "positive and finite");
}

}  // namespace sda
