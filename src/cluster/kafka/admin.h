#ifndef SDA_CLUSTER_KAFKA_ADMIN_H_
#define SDA_CLUSTER_KAFKA_ADMIN_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/kafka/kafka.h"

namespace sda::cluster {

struct NewTopic {
  std::string name;
  int partitions;
  int replication;  // -1: the brokers' default
  Properties config;
};

// All of them, or an error: KafkaError naming the topic. Returns when they can be used.
void CreateTopics(const Client& client, const std::vector<NewTopic>& topics);
void DeleteTopic(const Client& client, const std::string& topic);
// The value of a setting of the topic; nothing if this client is not allowed to read it.
std::optional<std::string> TopicSetting(const Client& client, const std::string& topic,
                                        const std::string& name);
// Ignores groups that do not exist.
void DeleteGroups(const Client& client, const std::vector<std::string>& groups);

// A member of a group.
struct GroupMember {
  std::string client;
  std::string host;
  std::vector<int32_t> partitions;
};
std::vector<GroupMember> DescribeGroup(
    const Client& client, const std::string& group,
    std::chrono::milliseconds timeout = std::chrono::seconds(30));

// Messages of the partition before this offset may be deleted.
void DeleteRecordsBefore(const Client& client, const std::string& topic, int32_t partition,
                         int64_t offset);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_KAFKA_ADMIN_H_
