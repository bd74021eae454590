#include "cluster/kafka/fault_point.h"

namespace sda::cluster {

void FaultPoint(const char*) {}

}  // namespace sda::cluster
