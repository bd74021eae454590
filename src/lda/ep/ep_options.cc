#include <cmath>

#include "lda/require.h"
#include "sda/lda_ep.h"

namespace sda {

using lda::Require;

void LdaEpOptions::Validate() const {
  Model().Validate();
  Require(damping >= 0 && damping < 1, "damping", damping, "at least 0 and below 1");
  Require(tolerance >= 0, "tolerance", tolerance, "at least 0");
  Require(sweeps >= 1 && sweeps <= 1000, "sweeps", sweeps, "between 1 and 1000");
}

LdaOptions LdaEpOptions::Model() const {
  LdaOptions model;
  model.topics = topics;
  model.vocabulary = vocabulary;
  model.alpha = alpha;
  model.eta = eta;
  model.start_sweeps = start_sweeps;
  model.on_start_sweep = on_start_sweep;
  model.noise_scale = noise_scale;
  model.seed = seed;
  model.threads = threads;
  return model;
}

}  // namespace sda
