#ifndef SDA_CLUSTER_LOG_LOST_END_H_
#define SDA_CLUSTER_LOG_LOST_END_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/job.h"
#include "cluster/kafka/kafka.h"

// A broker that is killed just after it has committed a transaction still has to write the marks
// that end it in the partitions. Kafka 4.3 can forget them when it is the only broker: while it
// starts again no partition has a leader for a moment, and it takes them for deleted ("likely
// deleted already and hence can be skipped", its log says). Nothing after the transaction can be
// read then, for ever. One more transaction of the same producer in the same partition ends the
// older one, too: a commit as committed, and an abort as aborted. So it must not be aborted.
namespace sda::cluster {

// What is not readable for longer than this was forgotten: a broker ends a transaction at once.
inline constexpr std::chrono::seconds kUntilLost{15};

struct Place {
  std::string topic;
  int32_t partition;
};

// The partitions of these topics that cannot be read to their ends now: a transaction is open.
// Throws KafkaError if no broker answers.
std::vector<Place> Unreadable(const Job& job, const std::vector<std::string>& topics);

// Writes in a transaction of its own one message into each, which readers of documents and of the
// log ignore.
void EndAgain(const Job& job, const std::vector<Place>& places, Producer* producer);

// Whether a message in a topic of documents is one that EndAgain() wrote.
bool IsEndMark(const Message& message);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_LOST_END_H_
