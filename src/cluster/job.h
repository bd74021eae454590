#ifndef SDA_CLUSTER_JOB_H_
#define SDA_CLUSTER_JOB_H_

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "cluster/kafka/kafka.h"

namespace sda::cluster {

// A job as the cluster knows it. Everything about it is in Kafka topics:
//
//   documents              what is learnt from; sda.JOB.in.documents, or a topic of the user's own
//   sda.JOB.in.feeds       how far files were fed
//   sda.JOB.log.settings   how it learns: the first valid message
//   sda.JOB.log.deltas     the deltas of the minibatches: in this order they sum to the posterior
//   sda.JOB.log.snapshots  that sum at some offsets: no reader starts at the beginning
//   sda.JOB.log.rejected   which messages of all these topics were set aside, and why
//
// Who feeds documents may write to what begins with sda.JOB.in. alone, groups and transactions
// included: nothing there can change what is in the log, or shut a worker out.
struct Job {
  std::string name;
  std::string id;         // random: a job of the same name that was deleted has another
  std::string documents;  // topic
  bool owns_documents = true;
  std::string settings;  // JSON: a JobSettings
  Properties client;
  std::string fed_as;  // its first id, if it has started over; else empty

  std::string in() const { return "sda." + name + ".in."; }
  std::string log() const { return "sda." + name + ".log."; }
  std::string documents_topic() const { return in() + "documents"; }
  std::string feeds_topic() const { return in() + "feeds"; }
  std::string settings_topic() const { return log() + "settings"; }
  std::string deltas_topic() const { return log() + "deltas"; }
  std::string snapshots_topic() const { return log() + "snapshots"; }
  std::string rejected_topic() const { return log() + "rejected"; }
  // Under which the progress of files is kept. It remains when the job starts over: what was fed is
  // still there.
  std::string feeds_id() const { return fed_as.empty() ? id : fed_as; }
  // Of the workers, and of those that want to write snapshots.
  std::string group() const { return log() + id; }
  std::string keeper_group() const { return group() + ".keeper"; }

  // For a client of this job; the one of an empty group only reads.
  Properties ConsumerProperties(const std::string& group) const;
  // For one that writes to the log, or feeds documents.
  Properties ProducerProperties(const std::string& transactional_id) const;
  Properties FeedProperties(const std::string& transactional_id) const;
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

// Throws IoError if there is no such job, InputError if none of its settings can be used, or
// another version of sda wrote them.
Job OpenJob(const std::string& name, const Properties& client);

// Throws IoError if the job was deleted, or deleted and made again; KafkaError if no broker answers
// before the stop.
void ExpectSameJob(const Job& job, const std::stop_token& stop = {});

// Deletes topics and groups, also of a job that an older sda made. Throws IoError if workers are
// still at work.
void DeleteJob(const std::string& name, const Properties& client);

// Throws IoError if workers of the group are at work. Those that have just left are waited for.
void ExpectNoWorkers(const Client& connection, const std::string& job, const std::string& group);

// 16 random hexadecimal digits, unique.
std::string RandomId();

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_JOB_H_
