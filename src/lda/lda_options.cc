#include <cmath>

#include "lda/require.h"
#include "sda/lda.h"

namespace sda {

using lda::Require;

void LdaOptions::Validate() const {
  Require(topics >= 1 && topics <= 1 << 20, "topics", topics, "between 1 and 2^20");
  Require(vocabulary >= 1 && vocabulary <= uint64_t{1} << 32, "vocabulary", vocabulary,
          "between 1 and 2^32");
  Require(alpha.size() <= 1 || alpha.size() == static_cast<size_t>(topics), "alpha's length",
          alpha.size(), "0, 1 or the number of topics");
  for (const double a : alpha) {
    Require(a > 1e-30 && std::isfinite(a), "alpha", a, "positive and finite");
  }
  Require(eta > 1e-30 && std::isfinite(eta), "eta", eta, "positive and finite");
  Require(local_tolerance >= 0, "local_tolerance", local_tolerance, "at least 0");
  Require(local_updates >= 1, "local_updates", local_updates, "at least 1");
  Require(outer_tolerance >= 0, "outer_tolerance", outer_tolerance, "at least 0");
  Require(outer_iterations >= 1, "outer_iterations", outer_iterations, "at least 1");
  Require(start_sweeps >= 1, "start_sweeps", start_sweeps, "at least 1");
  Require(noise_scale > 0 && std::isfinite(noise_scale), "noise_scale", noise_scale,
          "positive and finite");
  Require(threads >= 1, "threads", threads, "at least 1");
}

std::vector<double> LdaOptions::Alpha() const {
  if (alpha.size() == static_cast<size_t>(topics)) return alpha;
  return std::vector<double>(topics, alpha.empty() ? 1.0 / topics : alpha[0]);
}

KeyedRows LdaPrior(const LdaOptions& options) {
  options.Validate();
  return KeyedRows(std::vector<double>(options.topics, options.eta));
}

void SviOptions::Validate() const {
  Require(total_documents > 0 && std::isfinite(total_documents), "total_documents", total_documents,
          "positive and finite");
  Require(tau0 > 0 && std::isfinite(tau0), "tau0", tau0, "positive and finite");
  Require(kappa > 0 && kappa <= 1, "kappa", kappa, "above 0 and at most 1");
}

double SviOptions::Rate(uint64_t minibatch) const {
  return std::pow(tau0 + static_cast<double>(minibatch) + 1, -kappa);
}

}  // namespace sda
