#ifndef SDA_CLUSTER_LOG_DEAD_LETTER_H_
#define SDA_CLUSTER_LOG_DEAD_LETTER_H_

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/job.h"
#include "cluster/kafka/kafka.h"
#include "cluster/log/set_aside.h"

namespace sda::cluster {

// A note that a message of one of a job's topics was set aside: nothing was learnt from it. They
// are in the topic of what was rejected, by the place of the message: written twice, it is still
// one.
struct DeadLetter {
  SetAside message;
  std::string worker;  // that found it

  bool operator==(const DeadLetter&) const = default;
};

// As it is in the topic, and back; a longer reason is cut. Throws InputError: the message
// continues a sentence.
std::string ToJson(const DeadLetter& letter);
DeadLetter ParseDeadLetter(std::string_view json);

void WriteDeadLetter(const Job& job, const DeadLetter& letter, Producer* producer);

// The last ones, at most `limit`, in the order of the topic; those that cannot be read are left
// out, and so is everything if a stop is requested. Throws KafkaError.
std::vector<DeadLetter> ReadDeadLetters(const Job& job, size_t limit, const std::stop_token& stop);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_DEAD_LETTER_H_
