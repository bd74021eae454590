#include <string>

#include "lda/require.h"
#include "sda/lda_gibbs.h"

namespace sda {

using lda::Require;

void LdaGibbsOptions::Validate() const {
  Model().Validate();
  Require(averaged >= 1, "averaged", averaged, "at least 1");
  const std::string least = "at least averaged, " + std::to_string(averaged);
  Require(sweeps >= averaged, "sweeps", sweeps, least);
  Require(first_sweeps >= averaged, "first_sweeps", first_sweeps, least);
  Require(groups >= 1 && groups <= 1024, "groups", groups, "between 1 and 1024");
}

LdaOptions LdaGibbsOptions::Model() const {
  LdaOptions model;
  model.topics = topics;
  model.vocabulary = vocabulary;
  model.alpha = alpha.empty() ? std::vector<double>{2.0 / topics} : alpha;
  model.eta = eta;
  model.seed = seed;
  model.threads = threads;
  return model;
}

}  // namespace sda
