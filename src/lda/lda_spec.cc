#include "sda/lda_spec.h"

#include <string>

#include "lda/require.h"

namespace sda {

using lda::Require;

void LdaSpec::Validate() const {
  Require(topics >= 1 && topics <= 1 << 20, "topics", topics, "between 1 and 2^20");
  Require(vocabulary >= 1 && vocabulary <= uint64_t{1} << 32, "vocabulary", vocabulary,
          "between 1 and 2^32");
  Require(alpha.size() <= 1 || alpha.size() == static_cast<size_t>(topics), "alpha's length",
          alpha.size(), "0, 1 or the number of topics");
  // Within what a posterior may hold (lda_posterior.h), with room for EP to lower what is least.
  const auto is_prior = [](double x) { return x >= 1e-20 && x <= 1e15; };
  const std::string range = "from 1e-20 to 1e15";
  for (const double a : alpha) Require(is_prior(a), "alpha", a, range);
  Require(is_prior(eta), "eta", eta, range);
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
