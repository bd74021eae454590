#ifndef SDA_MODELS_MIXTURE_ESTIMATES_H_
#define SDA_MODELS_MIXTURE_ESTIMATES_H_

#include <string>
#include <vector>

#include "models/mixture_vb.h"
#include "sda/estimate.h"

namespace sda {

// What Mixture::Describe() returns.
std::vector<Estimate> MixtureEstimates(const std::vector<std::string>& columns,
                                       const MixtureOptions& options, const MixtureState& state);

}  // namespace sda

#endif  // SDA_MODELS_MIXTURE_ESTIMATES_H_
