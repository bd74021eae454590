#ifndef SDA_CLUSTER_KAFKA_PROPERTIES_H_
#define SDA_CLUSTER_KAFKA_PROPERTIES_H_

#include <map>
#include <string>

namespace sda::cluster {

// Of a client, as librdkafka names them.
using Properties = std::map<std::string, std::string>;

// How to reach the cluster: bootstrap.servers, and the settings for TLS and SASL from a properties
// file. Values are never shown in a message: they may be passwords.
Properties ClientProperties(const std::string& brokers, const std::string& properties_file);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_KAFKA_PROPERTIES_H_
