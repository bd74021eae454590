#ifndef SDA_APPS_CLUSTER_CLUSTER_H_
#define SDA_APPS_CLUSTER_CLUSTER_H_

#include <CLI/CLI.hpp>
#include <string>

#include "cluster/job.h"
#include "cluster/job_settings.h"

namespace sda {

// How a command of `sda cluster` reaches its job.
struct ClusterFlags {
  std::string job;
  std::string brokers;
  std::string properties;

  cluster::Properties Client() const;
  cluster::Job Open() const { return cluster::OpenJob(job, Client()); }
};
// The options with which all of them reach the brokers.
void AddBrokerOptions(CLI::App* command, ClusterFlags* flags);
// The same, and the name of the job.
void AddClusterOptions(CLI::App* command, ClusterFlags* flags);

// The options of `create` that are settings of the job.
void AddJobOptions(CLI::App* command, cluster::JobSettings* settings);

// Settings that a worker was given, though the job has its own: if they differ, it is refused.
// Throws UsageError.
void CheckSameSettings(const CLI::App& settings_given, const cluster::Job& job);

// Each adds one subcommand to `sda cluster`.
void AddClusterCreate(CLI::App* app);
void AddClusterFeed(CLI::App* app);
void AddClusterWork(CLI::App* app);
void AddClusterStatus(CLI::App* app);
void AddClusterList(CLI::App* app);
void AddClusterModel(CLI::App* app);
void AddClusterRepair(CLI::App* app);
void AddClusterDelete(CLI::App* app);

}  // namespace sda

#endif  // SDA_APPS_CLUSTER_CLUSTER_H_
