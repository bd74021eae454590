#ifndef SDA_APPS_CLUSTER_CLUSTER_H_
#define SDA_APPS_CLUSTER_CLUSTER_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/job.h"
#include "cluster/log/log_message.h"
#include "cluster/worker/worker_source.h"
#include "commands/fit.h"
#include "sda/corpus.h"
#include "sda/keyed_rows.h"
#include "sda/lda.h"

namespace sda {

// How a command of `sda cluster` reaches its job.
struct ClusterFlags {
  std::string job;
  std::string brokers;
  std::string properties;

  cluster::Properties Client() const;
  cluster::Job Open() const { return cluster::OpenJob(job, Client()); }
};
// The options that all of them have.
void AddClusterOptions(CLI::App* command, ClusterFlags* flags);

// The settings of a job: as given to `create`, and as stored in the cluster.
struct JobSettings {
  FitFlags fit;  // as far as it is about the model, its documents and minibatches
  std::vector<std::string> vocabulary;  // empty: chosen from the first documents
  cluster::Transport transport = cluster::Transport::kFloat;
  uint64_t snapshot_every = 0;

  // Checks them, and puts numbers in the place of defaults.
  void Settle();
  std::string ToJson() const;
  // Throws std::runtime_error.
  static JobSettings FromJson(const std::string& json);

  CorpusOptions Corpus() const;
  // The words are known by then.
  LdaOptions Model(uint64_t words) const;
  KeyedRows Prior() const;
  cluster::WorkerOptions Worker() const;
};
// The options of `create` that are settings.
void AddJobOptions(CLI::App* command, JobSettings* settings);

// Settings that a worker was given, though the job has its own: if they differ, it is refused.
// Throws std::invalid_argument.
void CheckSameSettings(const CLI::App& settings_given, const cluster::Job& job);

// Each adds one subcommand to `sda cluster`.
void AddClusterCreate(CLI::App* app);
void AddClusterFeed(CLI::App* app);
void AddClusterWork(CLI::App* app);
void AddClusterStatus(CLI::App* app);
void AddClusterModel(CLI::App* app);
void AddClusterDelete(CLI::App* app);

}  // namespace sda

#endif  // SDA_APPS_CLUSTER_CLUSTER_H_
