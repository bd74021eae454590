#ifndef SDA_CLUSTER_KAFKA_KAFKA_H_
#define SDA_CLUSTER_KAFKA_KAFKA_H_

// Apache Kafka, as much of it as a job needs: a thin layer over librdkafka that owns what must be
// released and turns errors into exceptions.
#include "cluster/kafka/client.h"      // IWYU pragma: export
#include "cluster/kafka/consumer.h"    // IWYU pragma: export
#include "cluster/kafka/producer.h"    // IWYU pragma: export
#include "cluster/kafka/properties.h"  // IWYU pragma: export

#endif  // SDA_CLUSTER_KAFKA_KAFKA_H_
