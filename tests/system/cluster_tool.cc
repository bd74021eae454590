// Direct operations on Kafka for the tests of the cluster, without `sda cluster`.
//
// topic TOPIC PARTITIONS [SETTING VALUE]: makes a topic.
//
// send TOPIC [PARTITION [ID]]: writes the lines of standard input to it, in one transaction of this
// transactional id. A line "HEADER<tab>VALUE" is a message with a note.
//
// count TOPIC [GROUP]: prints how many messages can be read from it.
//
// notes TOPIC: prints the notes of a log, as JSON, in its order.
//
// range TOPIC PARTITION: prints the first offset, and the one after the last.
//
// open TOPIC: prints how far partition 0 can be read, and its end: they differ while a transaction
// is open.
//
// trim TOPIC OFFSET: deletes what partition 0 holds before the offset.
//
// forget JOB: deletes what Kafka knows of how far a job's workers read.
//
// The broker is $SDA_BROKERS; other properties of the client are in the file $SDA_KAFKA_PROPERTIES.
#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cluster/job.h"
#include "cluster/kafka/admin.h"
#include "cluster/kafka/kafka.h"
#include "cluster/log/note.h"

namespace sda::cluster {
namespace {

void Send(const std::string& topic, int32_t partition, const std::string& id, Properties client) {
  client["transactional.id"] = id;
  Producer producer(client);
  producer.Begin();
  std::string line;
  for (int i = 0; std::getline(std::cin, line); ++i) {
    const size_t tab = line.find('\t');
    if (tab == std::string::npos) {
      producer.Produce(topic, partition, std::to_string(i), line);
    } else {
      producer.Produce(topic, partition, std::to_string(i), line.substr(tab + 1), kNoteHeader,
                       line.substr(0, tab));
    }
  }
  producer.Commit();
}

void Count(const std::string& topic, const std::string& group, Properties client) {
  client["group.id"] = group;
  Consumer consumer(client);
  uint64_t count = 0;
  for (int p = consumer.Partitions(topic) - 1; p >= 0; --p) {
    consumer.Assign(topic, p, kFromBeginning);
    while (true) {
      const auto message = consumer.Poll(std::chrono::milliseconds(100));
      if (!message || message->partition() != p) continue;
      if (message->at_end()) break;
      if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) throw KafkaError(topic, message->error());
      ++count;
    }
  }
  fmt::print("{}\n", count);
}

void PrintNotes(const std::string& topic, Properties client) {
  client["group.id"] = "cluster_tool";
  Consumer consumer(client);
  consumer.Assign(topic, 0, kFromBeginning);
  while (true) {
    const auto message = consumer.Poll(std::chrono::milliseconds(100));
    if (!message) continue;
    if (message->at_end()) return;
    if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) throw KafkaError(topic, message->error());
    fmt::print("{} {}\n", message->offset(), message->header(kNoteHeader));
  }
}

int Main(const std::vector<std::string>& arguments) {
  const char* brokers = std::getenv("SDA_BROKERS");
  const char* file = std::getenv("SDA_KAFKA_PROPERTIES");
  const Properties properties =
      ClientProperties(brokers == nullptr ? "" : brokers, file == nullptr ? "" : file);
  const Client client(properties);
  const std::string& command = arguments.at(0);
  const std::string& of = arguments.at(1);
  if (command == "topic") {
    Properties settings;
    if (arguments.size() > 3) settings[arguments[3]] = arguments.at(4);
    CreateTopics(client, {{of, std::stoi(arguments.at(2)), -1, settings}});
  } else if (command == "count") {
    Count(of, arguments.size() > 2 ? arguments[2] : "cluster_tool", properties);
  } else if (command == "send") {
    Send(of, arguments.size() > 2 ? std::stoi(arguments[2]) : kAnyPartition,
         arguments.size() > 3 ? arguments[3] : "cluster_tool." + RandomId(), properties);
  } else if (command == "notes") {
    PrintNotes(of, properties);
  } else if (command == "range") {
    const Client::Range range = client.Offsets(of, std::stoi(arguments.at(2)));
    fmt::print("{} {}\n", range.begin, range.end);
  } else if (command == "open") {
    Properties all = properties;
    all["isolation.level"] = "read_uncommitted";
    all["group.id"] = "cluster_tool";
    Properties committed = all;
    committed["isolation.level"] = "read_committed";
    fmt::print("{} {}\n", Consumer(committed).EndOffset(of, 0), Consumer(all).EndOffset(of, 0));
  } else if (command == "trim") {
    DeleteRecordsBefore(client, of, 0, std::stoll(arguments.at(2)));
  } else if (command == "forget") {
    DeleteGroups(client, {OpenJob(of, properties).group()});
  } else {
    throw std::invalid_argument("no such command: " + command);
  }
  return 0;
}

}  // namespace
}  // namespace sda::cluster

int main(int argc, char** argv) {
  try {
    return sda::cluster::Main({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    std::cerr << "cluster_tool: " << e.what() << '\n';
    return 1;
  }
}
