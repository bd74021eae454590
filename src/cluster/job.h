#ifndef SDA_CLUSTER_JOB_H_
#define SDA_CLUSTER_JOB_H_

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/kafka/kafka.h"

namespace sda::cluster {

// A job as the cluster knows it. Everything about it is in Kafka topics:
//
//   documents            what is learnt from; sda.JOB.documents, or a topic of the user's own
//   sda.JOB.settings     how: one message
//   sda.JOB.deltas       the deltas of the minibatches; their sum, in this order, is the posterior
//   sda.JOB.snapshots    that sum at some offsets, so that no reader starts at the beginning
//   sda.JOB.feeds        how far files were fed
struct Job {
  std::string name;
  std::string id;         // random: a job of the same name that was deleted has another
  std::string documents;  // topic
  bool owns_documents = true;
  std::string settings;  // JSON: a JobSettings
  Properties client;

  std::string settings_topic() const { return "sda." + name + ".settings"; }
  std::string deltas_topic() const { return "sda." + name + ".deltas"; }
  std::string snapshots_topic() const { return "sda." + name + ".snapshots"; }
  std::string feeds_topic() const { return "sda." + name + ".feeds"; }
  std::string documents_topic() const { return "sda." + name + ".documents"; }
  // Of the workers, and of those that want to write snapshots.
  std::string group() const { return "sda." + name + "." + id; }
  std::string keeper_group() const { return group() + ".keeper"; }

  // For a client of this job.
  Properties ConsumerProperties(const std::string& group) const;
  Properties ProducerProperties(const std::string& transactional_id) const;
  // For a client that reads a topic to its end, once: it soon finds that this is the end.
  Properties LookProperties() const;
  // For a client that also sees what is not committed yet.
  Properties UncommittedProperties(const std::string& group) const;
  // For a client that reads the log: an offset that no longer exists is an error, see IsTrimmed().
  Properties LogProperties() const;
};

struct NewJob {
  std::string name;
  std::string settings;
  std::string documents;  // a topic of the user's own; empty: one is made
  int partitions = 16;    // of the topic that is made
  int replication = -1;   // -1: the brokers' default
};

// Throws UsageError if the name cannot be part of a topic's name.
void CheckJobName(const std::string& name);

// Throws UsageError if there is a job of that name with other settings; the message is for people.
// A job with the same settings is left as it is; *existed is then true.
Job CreateJob(const NewJob& job, const Properties& client, bool* existed);

// What differs between two sets of settings, for people; empty if nothing does.
std::string SettingsDifference(const std::string& old_settings, const std::string& new_settings);

// What the topic of the settings holds: the version, what identifies the job, and the settings. The
// name and the client are the caller's. Throws InputError: the message continues "job NAME ...".
std::string ToStored(const Job& job);
Job ParseStored(std::string_view text);

// Throws IoError if there is no such job, InputError if its settings are damaged or of another
// version.
Job OpenJob(const std::string& name, const Properties& client);

// Throws IoError if the job was deleted, or deleted and made again; KafkaError if no broker answers
// before the stop.
void ExpectSameJob(const Job& job, const std::stop_token& stop = {});

// Deletes topics and groups. Throws IoError if workers are still at work.
void DeleteJob(const std::string& name, const Properties& client);

// 16 random hexadecimal digits, unique.
std::string RandomId();

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_JOB_H_
