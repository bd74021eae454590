#include "cluster/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "cluster/kafka/admin.h"
#include "cluster/log/chunks.h"
#include "cluster/log/note.h"
#include "cluster/log/note_json.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

struct StoredSettings {
  std::string id;  // of the job
  std::string text;
};

// The last message of the settings topic; empty if there is none.
StoredSettings ReadSettings(const Job& job, const std::stop_token& stop = {}) {
  Consumer consumer(job.LookProperties());
  consumer.Assign(job.settings_topic(), 0, kFromBeginning);
  Assembler assembler(AnyVersion::kYes);  // of the value is the one that counts
  StoredSettings settings;
  auto error = RD_KAFKA_RESP_ERR__TIMED_OUT;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < give_up && !stop.stop_requested()) {
    const auto message = consumer.Poll(milliseconds(100));
    if (!message) continue;
    if (message->at_end()) return settings;
    if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) {
      error = message->error();
      if (consumer.IsGone(job.settings_topic())) break;
      continue;  // the client retries
    }
    const std::string_view header = message->header(kNoteHeader);
    if (header.empty()) continue;
    try {
      if (auto whole = assembler.Add(header, message->value(), message->offset())) {
        settings = {ParseChunk(header, AnyVersion::kYes).id, std::move(whole->body)};
      }
    } catch (const InputError& e) {
      throw InputError(
          fmt::format("topic {}, offset {}: the message with the settings of job {} {}",
                      job.settings_topic(), message->offset(), job.name, e.what()));
    }
  }
  throw KafkaError("topic " + job.settings_topic(), error);
}

// The option of the command line.
std::string OptionName(std::string name) {
  if (name == "vocabulary") return "--vocab";
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

std::string Shown(const json& value) {
  const std::string text = value.is_null() ? "not given" : value.dump();
  return text.size() > 40 ? text.substr(0, 40) + "..." : text;
}

// Fields of objects within objects, too, by the names of the options.
void Flatten(const json& object, const std::string& prefix, std::map<std::string, json>* out) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_object()) {
      Flatten(value, name == "options" ? prefix : prefix + name + ".", out);
    } else {
      (*out)[OptionName(prefix + name)] = value;
    }
  }
}

}  // namespace

std::string SettingsDifference(const std::string& old_settings, const std::string& new_settings) {
  std::map<std::string, json> old, now;
  Flatten(json::parse(old_settings), "", &old);
  Flatten(json::parse(new_settings), "", &now);
  std::string text;
  for (const auto& [name, value] : now) {
    const auto before = old.find(name);
    if (before != old.end() && before->second == value) continue;
    text += fmt::format("{}{} is {}, not {}", text.empty() ? "" : "; ", name,
                        Shown(before == old.end() ? json() : before->second), Shown(value));
  }
  for (const auto& [name, value] : old) {
    if (now.contains(name)) continue;
    text +=
        fmt::format("{}{} is {}, and not given here", text.empty() ? "" : "; ", name, Shown(value));
  }
  return text;
}

namespace {

void MakeTopics(const Job& job, const NewJob& wanted, const Client& client) {
  // Nothing expires by itself: neither documents that are still unread, nor deltas that no snapshot
  // holds.
  const Properties kept = {{"cleanup.policy", "delete"},
                           {"retention.ms", "-1"},
                           {"retention.bytes", "-1"},
                           {"message.timestamp.type", "LogAppendTime"}};
  Properties last_of_key = kept;
  last_of_key["cleanup.policy"] = "compact";
  std::vector<NewTopic> topics = {{job.deltas_topic(), 1, wanted.replication, kept},
                                  {job.snapshots_topic(), 1, wanted.replication, kept},
                                  {job.settings_topic(), 1, wanted.replication, kept},
                                  {job.feeds_topic(), 1, wanted.replication, last_of_key}};
  if (job.owns_documents) {
    topics.insert(topics.begin(), {job.documents, wanted.partitions, wanted.replication, kept});
  }
  CreateTopics(client, topics);
}

}  // namespace

Properties Job::ConsumerProperties(const std::string& group_id) const {
  Properties properties = client;
  properties["group.id"] = group_id.empty() ? "sda." + name + ".reader" : group_id;
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

std::string ToStored(const Job& job) {
  json stored = json::parse(job.settings);
  stored["version"] = kLogVersion;
  stored["id"] = job.id;
  stored["documents"] = job.documents;
  stored["owns_documents"] = job.owns_documents;
  return DumpJson(stored);
}

Job ParseStored(std::string_view text) {
  json stored = ParseObject(text, "settings");
  ExpectKnownVersion(stored);
  Job job{.id = TextField(stored, "id"),
          .documents = TextField(stored, "documents"),
          .owns_documents = BoolField(stored, "owns_documents")};
  for (const char* name : {"version", "id", "documents", "owns_documents"}) stored.erase(name);
  job.settings = DumpJson(stored);
  return job;
}

Job OpenJob(const std::string& name, const Properties& client) {
  CheckJobName(name);
  const Job named{.name = name, .client = client};
  const Client connection(client);
  connection.ExpectBroker(std::chrono::seconds(10));
  if (!connection.HasTopic(named.settings_topic())) {
    throw IoError(
        fmt::format("there is no job {}; create it with: sda cluster create {}", name, name));
  }
  const std::string text = ReadSettings(named).text;
  if (text.empty()) {
    throw InputError(fmt::format(
        "job {} was not created completely; delete it with: sda cluster delete {}", name, name));
  }
  try {
    Job job = ParseStored(text);
    job.name = name;
    job.client = client;
    return job;
  } catch (const InputError& e) {
    throw InputError(fmt::format("job {} {}", name, e.what()));
  }
}

void ExpectSameJob(const Job& job, const std::stop_token& stop) {
  Client connection(job.client);
  connection.set_timeout(std::chrono::seconds(3));
  if (connection.IsGone(job.settings_topic())) {
    throw IoError(fmt::format("job {} was deleted", job.name));
  }
  if (ReadSettings(job, stop).id == job.id) return;
  throw IoError(
      fmt::format("job {} was deleted, and another of this name was created; join that with: sda "
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
  MakeTopics(job, wanted, connection);
  Producer producer(job.ProducerProperties("create"));
  const std::string body = ToStored(job);
  producer.Begin();
  for (uint64_t i = 0; i < ChunksOf(body); ++i) {
    producer.Produce(job.settings_topic(), 0, "settings", Chunk(body, i), kNoteHeader,
                     ToHeader({.chunk = i, .chunks = ChunksOf(body), .id = job.id}));
  }
  producer.Commit();
  return job;
}

void DeleteJob(const std::string& name, const Properties& client) {
  CheckJobName(name);
  Job job{.name = name, .client = client};
  const Client connection(client);
  connection.ExpectBroker(std::chrono::seconds(10));
  std::vector<std::string> topics = {job.deltas_topic(), job.snapshots_topic(), job.feeds_topic(),
                                     job.documents_topic()};
  std::erase_if(topics, [&](const std::string& topic) { return !connection.HasTopic(topic); });
  const bool has_settings = connection.HasTopic(job.settings_topic());
  if (topics.empty() && !has_settings) throw IoError("there is no job " + name);
  if (has_settings) {
    const json stored = json::parse(ReadSettings(job).text, nullptr, false);
    if (stored.is_object()) {
      job.id = stored.value("id", "");
      const size_t members = DescribeGroup(connection, job.group()).size();
      if (members > 0) {
        throw IoError(fmt::format("job {} has {} {} at work; stop them first", name, members,
                                  members == 1 ? "worker" : "workers"));
      }
      // Members that have just left are still listed for some seconds.
      for (int i = 0; i < 40 && !DescribeGroup(connection, job.keeper_group()).empty(); ++i) {
        std::this_thread::sleep_for(milliseconds(500));
      }
      DeleteGroups(connection, {job.group(), job.keeper_group()});
    }
    topics.push_back(job.settings_topic());  // last: until then there is a job to delete
  }
  for (const std::string& topic : topics) DeleteTopic(connection, topic);
}

}  // namespace sda::cluster
