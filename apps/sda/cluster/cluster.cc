#include "cluster/cluster.h"

#include <fmt/format.h>

#include <cstdlib>

#include "cluster/log/log_view.h"
#include "sda/errors.h"
#include "sda/topic_model.h"
#include "ui/command.h"

namespace sda {
namespace {

std::string FromEnvironment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

}  // namespace

cluster::Properties ClusterFlags::Client() const {
  const std::string file =
      properties.empty() ? FromEnvironment("SDA_KAFKA_PROPERTIES", "") : properties;
  cluster::Properties client = cluster::ClientProperties(
      brokers.empty() ? FromEnvironment("SDA_BROKERS", "") : brokers, file);
  client.insert({"bootstrap.servers", "localhost:9092"});
  return client;
}

void AddClusterOptions(CLI::App* command, ClusterFlags* flags) {
  command->add_option("JOB", flags->job, "Name of the job")->required()->type_name("NAME");
  AddBrokerOptions(command, flags);
}

void AddBrokerOptions(CLI::App* command, ClusterFlags* flags) {
  command
      ->add_option("--brokers", flags->brokers,
                   "Kafka: HOST:PORT,... (default: $SDA_BROKERS, or localhost:9092)")
      ->type_name("SERVERS");
  command->add_option("--properties", flags->properties,
                      "File of properties for the Kafka client, such as TLS and SASL\n"
                      "(default: $SDA_KAFKA_PROPERTIES)");
}

void AddClusterCreate(CLI::App* app) {
  struct Flags : ClusterFlags {
    cluster::JobSettings settings;
    std::string documents;
    int partitions = 16;
    int replication = -1;
  };
  CLI::App* command = app->add_subcommand("create", "Create a job");
  auto flags = std::make_shared<Flags>();
  AddClusterOptions(command, flags.get());
  command->add_option("--documents", flags->documents,
                      "Existing topic to learn from; by default one is created, for feed");
  command
      ->add_option("--partitions", flags->partitions,
                   "Of the topic that is created: this number of workers can share the documents")
      ->capture_default_str();
  command->add_option("--replication", flags->replication,
                      "Of the topics that are created; -1: the brokers' default");
  AddJobOptions(command, &flags->settings);
  command->callback([=] {
    if (flags->partitions < 1 || flags->partitions > 10'000) {
      throw UsageError("--partitions must be at least 1 and at most 10,000");
    }
    bool existed = false;
    const cluster::Job job = cluster::CreateJob({.name = flags->job,
                                                 .settings = flags->settings.Settled().ToJson(),
                                                 .documents = flags->documents,
                                                 .partitions = flags->partitions,
                                                 .replication = flags->replication},
                                                flags->Client(), &existed);
    fmt::print("{} job {}; documents: topic {}\n",
               existed ? "already exists with these settings:" : "created", job.name,
               job.documents);
  });
}

void AddClusterModel(CLI::App* app) {
  struct Flags : ClusterFlags {
    std::string output;
    bool force = false;
  };
  CLI::App* command = app->add_subcommand("model", "Save the current posterior as a model");
  auto flags = std::make_shared<Flags>();
  AddClusterOptions(command, flags.get());
  command->add_option("-o,--output", flags->output, "Where the model is saved")->required();
  command->add_flag("--force", flags->force, "Overwrite an --output that is not a model");
  command->callback([=] {
    CheckWritable(flags->output);
    CheckReplaceable(flags->output, flags->force);
    const cluster::Job job = flags->Open();
    const auto settings = cluster::JobSettings::FromJson(job.settings);
    cluster::LogView view(job, settings.Prior(), ProgramContext());
    view.CatchUp();
    const cluster::LogView::Copy now = view.CopyAll();
    if (now.totals.documents == 0) {
      throw IoError(fmt::format(
          "job {} has not learnt from any document yet; start a worker: sda cluster work {}",
          job.name, job.name));
    }
    SaveTopicModel(
        {.options = settings.options,
         .vocabulary = settings.vocabulary.empty() ? now.vocabulary : settings.vocabulary,
         .posterior = now.posterior,
         .minibatches = now.totals.deltas,
         .documents = now.totals.documents,
         .tokens = now.totals.tokens},
        flags->output);
    fmt::print("saved {}: {}, {}, {}\n", flags->output,
               Plural(now.totals.documents, "document", "documents"),
               Plural(now.totals.tokens, "token", "tokens"),
               Plural(now.totals.deltas, "delta", "deltas"));
  });
}

void AddClusterDelete(CLI::App* app) {
  CLI::App* command = app->add_subcommand("delete", "Delete a job, and its topics");
  auto flags = std::make_shared<ClusterFlags>();
  AddClusterOptions(command, flags.get());
  command->callback([=] {
    cluster::DeleteJob(flags->job, flags->Client());
    fmt::print("deleted job {}\n", flags->job);
  });
}

void AddCluster(CLI::App* app) {
  CLI::App* command = app->add_subcommand("cluster", "Workers on many machines, over Apache Kafka");
  command->require_subcommand(1);
  AddClusterCreate(command);
  AddClusterFeed(command);
  AddClusterWork(command);
  AddClusterStatus(command);
  AddClusterList(command);
  AddClusterModel(command);
  AddClusterRepair(command);
  AddClusterDelete(command);
}

}  // namespace sda
