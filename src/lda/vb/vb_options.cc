#include <cmath>

#include "lda/require.h"
#include "sda/lda_svi.h"
#include "sda/lda_vb.h"

namespace sda {

using lda::Require;

LdaSpec VbSpec(int topics, uint64_t vocabulary) {
  return {.topics = topics, .vocabulary = vocabulary, .eta = 0.3};
}

void VbOptions::Validate() const {
  local.Validate();
  Require(outer_tolerance >= 0, "outer_tolerance", outer_tolerance, "at least 0");
  Require(outer_iterations >= 1, "outer_iterations", outer_iterations, "at least 1");
  Require(start_sweeps >= 1, "start_sweeps", start_sweeps, "at least 1");
  Require(noise_scale > 0 && std::isfinite(noise_scale), "noise_scale", noise_scale,
          "positive and finite");
  Require(workers >= 1, "workers", workers, "at least 1");
}

void SviOptions::Validate() const {
  Require(total_documents > 0 && total_documents <= 1e15, "total_documents", total_documents,
          "above 0 and at most 1e15");
  Require(tau0 > 0 && tau0 <= 1e15, "tau0", tau0, "above 0 and at most 1e15");
  Require(kappa > 0 && kappa <= 1, "kappa", kappa, "above 0 and at most 1");
  local.Validate();
  Require(noise_scale > 0 && std::isfinite(noise_scale), "noise_scale", noise_scale,
          "positive and finite");
  Require(workers >= 1, "workers", workers, "at least 1");
}

double SviOptions::Rate(uint64_t minibatch) const {
  return std::pow(tau0 + static_cast<double>(minibatch) + 1, -kappa);
}

}  // namespace sda
