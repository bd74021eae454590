#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cluster/cluster.h"
#include "cluster/job_list.h"
#include "cluster/status/job_reader.h"
#include "ui/command.h"

namespace sda {
namespace {

struct ListedJob {
  std::string name;
  std::string state;
  uint64_t documents = 0;
  uint64_t lag = 0;
  size_t workers = 0;
};

std::string StateOf(const cluster::JobStatus& status) {
  if (status.read() == 0 && status.lag() == 0) return "waits for documents";
  if (status.lag() == 0) return status.workers.empty() ? "done" : "has caught up";
  return status.workers.empty() ? "has no worker" : "at work";
}

ListedJob Look(const std::string& name, const cluster::Properties& client, const Context& context) {
  ListedJob listed{.name = name};
  try {
    cluster::JobReader reader(cluster::OpenJob(name, client), context.token());
    const cluster::JobStatus status = reader.Read();
    listed.state = StateOf(status);
    listed.documents = status.totals.documents;
    listed.lag = status.lag();
    listed.workers = status.workers.size();
  } catch (const cluster::KafkaError& e) {
    if (e.unreachable()) throw;
    listed.state = e.what();
  } catch (const std::runtime_error& e) {
    listed.state = e.what();  // one that another sda wrote, or that is being deleted
  }
  return listed;
}

void Print(const std::vector<ListedJob>& jobs) {
  size_t width = 3;
  for (const ListedJob& job : jobs) width = std::max(width, job.name.size());
  fmt::print("{:<{}}  {:>13}  {:>13}  {:>7}  state\n", "job", width, "documents", "to go",
             "workers");
  for (const ListedJob& job : jobs) {
    fmt::print("{:<{}}  {:>13}  {:>13}  {:>7}  {}\n", job.name, width, Grouped(job.documents),
               Grouped(job.lag), job.workers, Shown(job.state));
  }
}

}  // namespace

void AddClusterList(CLI::App* app) {
  struct Flags : ClusterFlags {
    bool json = false;
  };
  CLI::App* command = app->add_subcommand("list", "The jobs on the brokers, and what they do");
  auto flags = std::make_shared<Flags>();
  AddBrokerOptions(command, flags.get());
  command->add_flag("--json", flags->json, "Print JSON");
  command->callback([=] {
    const Context context = ProgramContext();
    const cluster::Properties client = flags->Client();
    std::vector<ListedJob> jobs;
    for (const std::string& name : cluster::ListJobs(client)) {
      jobs.push_back(Look(name, client, context));
      CheckNotStopped(context);
    }
    if (flags->json) {
      nlohmann::ordered_json list = nlohmann::ordered_json::array();
      for (const ListedJob& job : jobs) {
        list.push_back({{"job", job.name},
                        {"state", job.state},
                        {"documents", job.documents},
                        {"lag", job.lag},
                        {"workers", job.workers}});
      }
      fmt::print("{}\n", Dump(list));
    } else if (jobs.empty()) {
      fmt::print("no jobs; create one: sda cluster create JOB\n");
    } else {
      Print(jobs);
    }
  });
}

}  // namespace sda
