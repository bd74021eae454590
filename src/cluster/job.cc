#include "cluster/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "cluster/job_settings.h"
#include "cluster/kafka/admin.h"
#include "cluster/kafka/explain.h"
#include "cluster/stored_job.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;

// Jobs of version 3 and before had their settings here, and other topics beside it.
std::string OldTopic(const std::string& name, const std::string& of) {
  return "sda." + name + "." + of;
}

// False as well if this user may not see it.
bool SeesTopic(const Client& connection, const std::string& topic) {
  try {
    return connection.HasTopic(topic);
  } catch (const KafkaError& e) {
    if (IsForbidden(e.code())) return false;
    throw;
  }
}

void ExpectNoOldJob(const Job& named, const Client& connection) {
  const std::string topic = OldTopic(named.name, "settings");
  if (!SeesTopic(connection, topic)) return;
  const StoredJob stored = ReadStoredJob(named, topic, ReadSettings::kUntilFirst);
  throw InputError(fmt::format(
      "job {} {}", named.name,
      stored.other_version.empty()
          ? "was created by an older sda; use that one, or delete the job and create it again"
          : stored.other_version));
}

void MakeTopics(const Job& job, const NewJob& wanted, const Client& client) {
  // Nothing expires by itself: neither documents that are still unread, nor deltas that no snapshot
  // holds. Times are the brokers': what a message of the log claims about its own is not believed.
  const Properties kept = {{"cleanup.policy", "delete"},
                           {"retention.ms", "-1"},
                           {"retention.bytes", "-1"},
                           {"message.timestamp.type", "LogAppendTime"}};
  Properties last_of_key = kept;
  last_of_key["cleanup.policy"] = "compact";
  std::vector<NewTopic> topics = {{job.deltas_topic(), 1, wanted.replication, kept},
                                  {job.snapshots_topic(), 1, wanted.replication, kept},
                                  {job.settings_topic(), 1, wanted.replication, kept},
                                  {job.feeds_topic(), 1, wanted.replication, last_of_key},
                                  {job.rejected_topic(), 1, wanted.replication, last_of_key}};
  if (job.owns_documents) {
    topics.insert(topics.begin(), {job.documents, wanted.partitions, wanted.replication, kept});
  }
  CreateTopics(client, topics);
}

}  // namespace

Properties Job::ConsumerProperties(const std::string& group_id) const {
  Properties properties = client;
  properties["group.id"] = group_id.empty() ? in() + "reader" : group_id;
  return properties;
}

Properties Job::LookProperties() const {
  Properties properties = ConsumerProperties("");
  properties["fetch.wait.max.ms"] = "5";
  return properties;
}

Properties Job::UncommittedProperties(const std::string& group_id) const {
  Properties properties = ConsumerProperties(group_id);
  properties["isolation.level"] = "read_uncommitted";
  return properties;
}

Properties Job::LogProperties() const {
  Properties properties = ConsumerProperties("");
  properties["auto.offset.reset"] = "error";
  return properties;
}

Properties Job::ProducerProperties(const std::string& transactional_id) const {
  Properties properties = client;
  properties["transactional.id"] = group() + "." + transactional_id;
  return properties;
}

Properties Job::FeedProperties(const std::string& transactional_id) const {
  Properties properties = client;
  properties["transactional.id"] = in() + feeds_id() + "." + transactional_id;
  return properties;
}

void CheckJobName(const std::string& name) {
  constexpr char kAllowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  if (name.empty() || name.size() > 100 || name.find_first_not_of(kAllowed) != std::string::npos) {
    throw UsageError(
        fmt::format("the job's name is '{}', must be letters, digits, _ and -, at most 100", name));
  }
}

std::string RandomId() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

Job OpenJob(const std::string& name, const Properties& client) {
  CheckJobName(name);
  const Job named{.name = name, .client = client};
  const Client connection(client);
  connection.ExpectBroker(std::chrono::seconds(10));
  if (!connection.HasTopic(named.settings_topic())) {
    ExpectNoOldJob(named, connection);
    throw IoError(
        fmt::format("there is no job {}; create it with: sda cluster create {}", name, name));
  }
  const StoredJob stored = ReadStoredJob(named, named.settings_topic(), ReadSettings::kUntilFirst);
  if (stored.job) return *stored.job;
  if (!stored.other_version.empty()) {
    throw InputError(fmt::format("job {} {}", name, stored.other_version));
  }
  if (stored.set_aside.empty()) {
    throw InputError(fmt::format(
        "job {} was not created completely; delete it with: sda cluster delete {}", name, name));
  }
  throw InputError(
      fmt::format("job {} has no settings that can be used: {}; delete the job with: sda "
                  "cluster delete {}",
                  name, Describe(stored.set_aside.front()), name));
}

void ExpectSameJob(const Job& job, const std::stop_token& stop) {
  Client connection(job.client);
  connection.set_timeout(std::chrono::seconds(3));
  if (connection.IsGone(job.settings_topic())) {
    throw IoError(fmt::format("job {} was deleted", job.name));
  }
  const StoredJob now = ReadStoredJob(job, job.settings_topic(), ReadSettings::kUntilFirst, stop);
  if (now.job && now.job->id == job.id) return;
  throw IoError(fmt::format(
      "job {} was deleted or repaired, and another of this name was created; join that with: sda "
      "cluster work {}",
      job.name, job.name));
}

Job CreateJob(const NewJob& wanted, const Properties& client, bool* existed) {
  CheckJobName(wanted.name);
  Job job{.name = wanted.name, .id = RandomId(), .client = client};
  job.settings = wanted.settings;
  job.owns_documents = wanted.documents.empty();
  job.documents = job.owns_documents ? job.documents_topic() : wanted.documents;
  const Client connection(client);
  connection.ExpectBroker(std::chrono::seconds(10));
  *existed = connection.HasTopic(job.settings_topic());
  if (*existed) {
    const Job old = OpenJob(wanted.name, client);
    std::string other = SettingsDifference(old.settings, job.settings);
    if (old.documents != job.documents) {
      other = fmt::format("--documents is {}, not {}{}{}", old.documents, job.documents,
                          other.empty() ? "" : "; ", other);
    }
    if (!other.empty()) {
      throw UsageError(fmt::format("job {} exists with other settings: {}", wanted.name, other));
    }
    return old;
  }
  if (!job.owns_documents && !connection.HasTopic(job.documents)) {
    throw UsageError("--documents: there is no topic " + job.documents);
  }
  ExpectNoOldJob(job, connection);
  MakeTopics(job, wanted, connection);
  Producer producer(job.ProducerProperties("create"));
  WriteStoredJob(job, &producer);
  return job;
}

void ExpectNoWorkers(const Client& connection, const std::string& job, const std::string& group) {
  const size_t members = DescribeGroup(connection, group).size();
  if (members > 0) {
    throw IoError(fmt::format("job {} has {} {} at work; stop them first", job, members,
                              members == 1 ? "worker" : "workers"));
  }
  // Members that have just left are still listed for some seconds.
  for (int i = 0; i < 40 && !DescribeGroup(connection, group + ".keeper").empty(); ++i) {
    std::this_thread::sleep_for(milliseconds(500));
  }
}

void DeleteJob(const std::string& name, const Properties& client) {
  CheckJobName(name);
  const Job job{.name = name, .client = client};
  const Client connection(client);
  connection.ExpectBroker(std::chrono::seconds(10));
  // The settings last: until then there is a job to delete.
  std::vector<std::string> topics;
  for (const std::string& topic : {job.deltas_topic(), job.snapshots_topic(), job.rejected_topic(),
                                   job.feeds_topic(), job.documents_topic()}) {
    if (connection.HasTopic(topic)) topics.push_back(topic);
  }
  for (const char* old : {"deltas", "snapshots", "feeds", "documents", "settings"}) {
    if (SeesTopic(connection, OldTopic(name, old))) topics.push_back(OldTopic(name, old));
  }
  if (connection.HasTopic(job.settings_topic())) topics.push_back(job.settings_topic());
  if (topics.empty()) throw IoError("there is no job " + name);
  for (const std::string& settings : {OldTopic(name, "settings"), job.settings_topic()}) {
    if (std::find(topics.begin(), topics.end(), settings) == topics.end()) continue;
    const std::string id = ReadStoredJob(job, settings, ReadSettings::kUntilFirst).id;
    if (id.empty()) continue;
    const std::string group =
        settings == job.settings_topic() ? job.log() + id : OldTopic(name, id);
    ExpectNoWorkers(connection, name, group);
    DeleteGroups(connection, {group, group + ".keeper"});
  }
  for (const std::string& topic : topics) DeleteTopic(connection, topic);
}

}  // namespace sda::cluster
