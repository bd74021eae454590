#include "cluster.h"

namespace sda {

void AddClusterStatus(CLI::App*) {}

}  // namespace sda
