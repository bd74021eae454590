#include <string>

#include "lda/require.h"
#include "sda/lda_gibbs.h"

namespace sda {

using lda::Require;

LdaSpec GibbsSpec(int topics, uint64_t vocabulary) {
  return {.topics = topics, .vocabulary = vocabulary, .alpha = {2.0 / topics}, .eta = 0.15};
}

void GibbsOptions::Validate() const {
  Require(averaged >= 1, "averaged", averaged, "at least 1");
  Require(first_averaged >= 1, "first_averaged", first_averaged, "at least 1");
  Require(sweeps >= averaged, "sweeps", sweeps, "at least averaged, " + std::to_string(averaged));
  Require(first_sweeps >= 1, "first_sweeps", first_sweeps, "at least 1");
  Require(groups >= 1 && groups <= 1024, "groups", groups, "between 1 and 1024");
  Require(workers >= 1, "workers", workers, "at least 1");
}

}  // namespace sda
