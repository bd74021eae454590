#ifndef SDA_CLUSTER_JOB_LIST_H_
#define SDA_CLUSTER_JOB_LIST_H_

#include <string>
#include <vector>

#include "cluster/kafka/kafka.h"

namespace sda::cluster {

// The names of the jobs on the brokers that this client may see, in alphabetical order. Throws
// KafkaError.
std::vector<std::string> ListJobs(const Properties& client);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_JOB_LIST_H_
