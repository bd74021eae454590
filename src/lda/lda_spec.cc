#include "sda/lda_spec.h"

#include <cmath>

#include "lda/require.h"

namespace sda {

using lda::Require;

void LdaSpec::Validate() const {
  Require(topics >= 1 && topics <= 1 << 20, "topics", topics, "between 1 and 2^20");
  Require(vocabulary >= 1 && vocabulary <= uint64_t{1} << 32, "vocabulary", vocabulary,
          "between 1 and 2^32");
  Require(alpha.size() <= 1 || alpha.size() == static_cast<size_t>(topics), "alpha's length",
          alpha.size(), "0, 1 or the number of topics");
  for (const double a : alpha) {
    Require(a > 1e-30 && std::isfinite(a), "alpha", a, "positive and finite");
  }
  Require(eta > 1e-30 && std::isfinite(eta), "eta", eta, "positive and finite");
}

std::vector<double> LdaSpec::Alpha() const {
  if (alpha.size() == static_cast<size_t>(topics)) return alpha;
  return std::vector<double>(topics, alpha.empty() ? 1.0 / topics : alpha[0]);
}

KeyedRows LdaPrior(const LdaSpec& spec) {
  spec.Validate();
  return KeyedRows(std::vector<double>(spec.topics, spec.eta));
}

void LocalVbOptions::Validate() const {
  Require(tolerance >= 0, "local tolerance", tolerance, "at least 0");
  Require(updates >= 1, "local updates", updates, "at least 1");
}

}  // namespace sda
