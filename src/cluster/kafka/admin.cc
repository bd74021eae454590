#include "cluster/kafka/admin.h"

#include <array>
#include <memory>
#include <thread>

namespace sda::cluster {
namespace {

constexpr int kTimeout = 30'000;  // milliseconds

struct Destroy {
  void operator()(rd_kafka_queue_t* p) const { rd_kafka_queue_destroy(p); }
  void operator()(rd_kafka_event_t* p) const { rd_kafka_event_destroy(p); }
  void operator()(rd_kafka_AdminOptions_t* p) const { rd_kafka_AdminOptions_destroy(p); }
  void operator()(rd_kafka_NewTopic_t* p) const { rd_kafka_NewTopic_destroy(p); }
  void operator()(rd_kafka_DeleteTopic_t* p) const { rd_kafka_DeleteTopic_destroy(p); }
  void operator()(rd_kafka_DeleteGroup_t* p) const { rd_kafka_DeleteGroup_destroy(p); }
  void operator()(rd_kafka_ConfigResource_t* p) const { rd_kafka_ConfigResource_destroy(p); }
  void operator()(rd_kafka_DeleteRecords_t* p) const { rd_kafka_DeleteRecords_destroy(p); }
};
template <class T>
using Own = std::unique_ptr<T, Destroy>;

// A request about each element of a list.
template <class Asked>
using Ask = void(rd_kafka_t*, Asked**, size_t, const rd_kafka_AdminOptions_t*, rd_kafka_queue_t*);

// Sends the request, and waits for the answer. `permission` is what Kafka's ACLs call it.
template <class Asked>
Own<rd_kafka_event_t> Answer(const Client& client, const std::string& doing,
                             const std::string& permission, rd_kafka_admin_op_t op, Ask<Asked>* ask,
                             std::vector<Asked*> asked, int timeout = kTimeout) {
  const Own<rd_kafka_queue_t> queue(rd_kafka_queue_new(client.handle()));
  const Own<rd_kafka_AdminOptions_t> options(rd_kafka_AdminOptions_new(client.handle(), op));
  std::array<char, 256> why{};
  rd_kafka_AdminOptions_set_request_timeout(options.get(), timeout, why.data(), why.size());
  ask(client.handle(), asked.data(), asked.size(), options.get(), queue.get());
  Own<rd_kafka_event_t> event(rd_kafka_queue_poll(queue.get(), 2 * timeout));
  client.Expect(doing, event ? rd_kafka_event_error(event.get()) : RD_KAFKA_RESP_ERR__TIMED_OUT,
                permission);
  return event;
}

void ExpectTopics(const Client& client, const std::string& doing, const std::string& permission,
                  const rd_kafka_topic_result_t** results, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    client.Expect(doing + " " + rd_kafka_topic_result_name(results[i]),
                  rd_kafka_topic_result_error(results[i]), permission);
  }
}

// Until the topic exists, or does not: brokers learn of it one after the other.
void WaitUntil(const Client& client, const std::string& topic, bool exists) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::milliseconds(kTimeout);
  while (client.HasTopic(topic) != exists) {
    if (std::chrono::steady_clock::now() > give_up) {
      throw KafkaError(std::string(exists ? "making" : "deleting") + " topic " + topic,
                       RD_KAFKA_RESP_ERR__TIMED_OUT);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

void CreateTopics(const Client& client, const std::vector<NewTopic>& topics) {
  std::array<char, 256> why{};
  std::vector<Own<rd_kafka_NewTopic_t>> owned;
  std::vector<rd_kafka_NewTopic_t*> asked;
  for (const NewTopic& topic : topics) {
    owned.emplace_back(rd_kafka_NewTopic_new(topic.name.c_str(), topic.partitions,
                                             topic.replication, why.data(), why.size()));
    if (!owned.back()) throw UsageError("topic " + topic.name + ": " + why.data());
    for (const auto& [name, value] : topic.config) {
      rd_kafka_NewTopic_set_config(owned.back().get(), name.c_str(), value.c_str());
    }
    asked.push_back(owned.back().get());
  }
  const auto event = Answer(client, "making topics", "Create", RD_KAFKA_ADMIN_OP_CREATETOPICS,
                            rd_kafka_CreateTopics, asked);
  size_t count = 0;
  const auto** results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
  ExpectTopics(client, "making topic", "Create", results, count);
  for (const NewTopic& topic : topics) WaitUntil(client, topic.name, true);
}

void DeleteTopic(const Client& client, const std::string& topic) {
  const Own<rd_kafka_DeleteTopic_t> asked(rd_kafka_DeleteTopic_new(topic.c_str()));
  const auto event = Answer(client, "deleting topic " + topic, "Delete",
                            RD_KAFKA_ADMIN_OP_DELETETOPICS, rd_kafka_DeleteTopics, {asked.get()});
  size_t count = 0;
  const auto** results =
      rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event.get()), &count);
  ExpectTopics(client, "deleting topic", "Delete", results, count);
  WaitUntil(client, topic, false);
}

std::optional<std::string> TopicSetting(const Client& client, const std::string& topic,
                                        const std::string& name) {
  const Own<rd_kafka_ConfigResource_t> asked(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  const auto event =
      Answer(client, "settings of topic " + topic, "DescribeConfigs",
             RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, rd_kafka_DescribeConfigs, {asked.get()});
  size_t count = 0;
  const auto** resources = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(event.get()), &count);
  for (size_t i = 0; i < count; ++i) {
    const auto code = rd_kafka_ConfigResource_error(resources[i]);
    if (code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) return std::nullopt;
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) throw KafkaError("settings of topic " + topic, code);
    size_t entries = 0;
    const auto** entry = rd_kafka_ConfigResource_configs(resources[i], &entries);
    for (size_t j = 0; j < entries; ++j) {
      if (rd_kafka_ConfigEntry_name(entry[j]) == name) return rd_kafka_ConfigEntry_value(entry[j]);
    }
  }
  return std::nullopt;
}

void DeleteGroups(const Client& client, const std::vector<std::string>& groups) {
  for (const std::string& group : groups) {
    const Own<rd_kafka_DeleteGroup_t> asked(rd_kafka_DeleteGroup_new(group.c_str()));
    const auto event = Answer(client, "deleting group " + group, "Delete",
                              RD_KAFKA_ADMIN_OP_DELETEGROUPS, rd_kafka_DeleteGroups, {asked.get()});
    size_t count = 0;
    const auto** results = rd_kafka_DeleteGroups_result_groups(
        rd_kafka_event_DeleteGroups_result(event.get()), &count);
    for (size_t i = 0; i < count; ++i) {
      const rd_kafka_error_t* error = rd_kafka_group_result_error(results[i]);
      const auto code = error == nullptr ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(error);
      if (code == RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND) continue;
      client.Expect("deleting group " + group, code, "Delete");
    }
  }
}

std::vector<GroupMember> DescribeGroup(const Client& client, const std::string& group,
                                       std::chrono::milliseconds timeout) {
  const auto event =
      Answer(client, "group " + group, "Describe", RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS,
             rd_kafka_DescribeConsumerGroups, {group.c_str()}, static_cast<int>(timeout.count()));
  size_t count = 0;
  const auto** groups = rd_kafka_DescribeConsumerGroups_result_groups(
      rd_kafka_event_DescribeConsumerGroups_result(event.get()), &count);
  std::vector<GroupMember> members;
  for (size_t g = 0; g < count; ++g) {
    const rd_kafka_error_t* error = rd_kafka_ConsumerGroupDescription_error(groups[g]);
    if (error != nullptr) {
      const auto code = rd_kafka_error_code(error);
      if (code == RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND) continue;
      client.Expect("group " + group, code, "Describe");
    }
    for (size_t m = 0; m < rd_kafka_ConsumerGroupDescription_member_count(groups[g]); ++m) {
      const auto* described = rd_kafka_ConsumerGroupDescription_member(groups[g], m);
      GroupMember member{rd_kafka_MemberDescription_client_id(described),
                         rd_kafka_MemberDescription_host(described),
                         {}};
      const auto* assignment = rd_kafka_MemberDescription_assignment(described);
      const auto* list =
          assignment == nullptr ? nullptr : rd_kafka_MemberAssignment_partitions(assignment);
      for (int i = 0; list != nullptr && i < list->cnt; ++i) {
        member.partitions.push_back(list->elems[i].partition);
      }
      members.push_back(std::move(member));
    }
  }
  return members;
}

void DeleteRecordsBefore(const Client& client, const std::string& topic, int32_t partition,
                         int64_t offset) {
  const Own<rd_kafka_DeleteRecords_t> asked(
      rd_kafka_DeleteRecords_new(OffsetList(topic, {{partition, offset}}).get()));
  const auto event = Answer(client, "trimming topic " + topic, "Delete",
                            RD_KAFKA_ADMIN_OP_DELETERECORDS, rd_kafka_DeleteRecords, {asked.get()});
  const auto* offsets =
      rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(event.get()));
  for (int i = 0; i < offsets->cnt; ++i) {
    client.Expect("trimming topic " + topic, offsets->elems[i].err, "Delete");
  }
}

}  // namespace sda::cluster
