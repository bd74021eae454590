#ifndef SDA_CLUSTER_STORED_JOB_H_
#define SDA_CLUSTER_STORED_JOB_H_

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/job.h"
#include "cluster/kafka/kafka.h"
#include "cluster/log/set_aside.h"

namespace sda::cluster {

// What the topic of the settings holds: the version, what identifies the job, and the settings. The
// name and the client are the caller's. Throws InputError: the message continues a sentence, "has
// ...".
std::string ToStored(const Job& job);
Job ParseStored(std::string_view text);

// What a topic of settings says. The first message that can be used counts: what is written after
// it, by whomever, changes nothing.
struct StoredJob {
  std::optional<Job> job;  // with the name and the client of who asked
  std::string id;          // of the job; if there is none, of the first message that has one
  // What is wrong with the first message of another version, if there is no job: "has version ...".
  std::string other_version;
  std::vector<SetAside> set_aside;  // messages that do not count, in their order
};

// kToEnd: also looks at what follows the message that counts.
enum class ReadSettings { kUntilFirst, kToEnd };

// Reads at most 10,000 messages and 256 MiB: what comes after that does not count. Throws
// KafkaError.
StoredJob ReadStoredJob(const Job& named, const std::string& topic, ReadSettings how,
                        const std::stop_token& stop = {});

// Writes the settings of the job, in a transaction of their own.
void WriteStoredJob(const Job& job, Producer* producer);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_STORED_JOB_H_
