#ifndef SDA_CLUSTER_KAFKA_EXPLAIN_H_
#define SDA_CLUSTER_KAFKA_EXPLAIN_H_

#include <librdkafka/rdkafka.h>

#include <string>

#include "cluster/kafka/properties.h"

// Messages for errors whose codes are not informative enough. `client` is what the client was made
// with; no password is shown.
namespace sda::cluster {

// Whether a connection failed because a password or a certificate was refused: trying again will
// not help. `reason` is the library's.
bool IsRefusal(rd_kafka_resp_err_t code, const std::string& reason);

// A code that calls may fail with then, but also when the connection was closed while it was set
// up.
bool IsCutOrRefused(rd_kafka_resp_err_t code);

// Why there is no connection, and what to do about it.
std::string ExplainConnection(rd_kafka_resp_err_t code, const std::string& reason,
                              const Properties& client);

// Whether the user lacks a permission.
bool IsForbidden(rd_kafka_resp_err_t code);

// Either of these: a failure that waiting cannot fix.
bool IsHopeless(rd_kafka_resp_err_t code);

// Which one, to do what Kafka's ACLs call `operation`.
std::string ExplainForbidden(rd_kafka_resp_err_t code, const std::string& operation,
                             const Properties& client);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_KAFKA_EXPLAIN_H_
