// Of a build without librdkafka.
#include "targets.h"

namespace sda {

std::span<const FuzzTarget> MessageTargets() { return {}; }

}  // namespace sda
