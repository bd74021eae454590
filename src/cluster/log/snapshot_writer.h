#ifndef SDA_CLUSTER_LOG_SNAPSHOT_WRITER_H_
#define SDA_CLUSTER_LOG_SNAPSHOT_WRITER_H_

#include <cstdint>

#include "cluster/job.h"
#include "cluster/kafka/kafka.h"
#include "cluster/log/log_rules.h"
#include "cluster/log/log_view.h"

namespace sda::cluster {

// Writes what a view holds as a snapshot, in as many transactions as it takes. Returns its size, in
// bytes. Throws KafkaError, and InputError if it is not what a snapshot must be: then nothing is
// written.
uint64_t WriteSnapshot(const Job& job, const LogRules& rules, LogView::Copy copy,
                       Producer* producer);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_SNAPSHOT_WRITER_H_
