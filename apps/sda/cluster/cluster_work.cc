#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cluster/cluster.h"
#include "cluster/worker/worker.h"
#include "sda/observer.h"
#include "service/metrics_server.h"
#include "service/metrics_text.h"
#include "ui/command.h"
#include "ui/start_progress.h"

namespace sda {
namespace {

struct WorkFlags : ClusterFlags {
  int threads = 0;
  bool until_caught_up = false;
  std::optional<uint64_t> max_staleness;
  bool json = false;
  cluster::JobSettings expected;
  std::optional<int> metrics;  // port
};

std::string WorkerName() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("{}-{}", host.data(), getpid());
}

std::string Details(const cluster::WorkerNumbers& numbers) {
  std::string text = "job: " + Plural(numbers.view_documents, "document", "documents");
  if (numbers.view_score_tokens > 0) {
    text += fmt::format("  held-out {:.4f}", numbers.view_score_sum / numbers.view_score_tokens);
  }
  if (numbers.keeper) text += "  keeper";
  return text;
}

void Show(const cluster::Worker& worker, bool json) {
  const Summary& summary = worker.summary();
  const cluster::WorkerNumbers numbers = worker.Numbers();
  if (json) {
    auto report = nlohmann::ordered_json::parse(ToJson(summary, "documents"));
    report["worker"] = numbers.worker;
    report["rejoined"] = numbers.rejoined;
    fmt::print("{}\n", Dump(report));
  } else {
    fmt::print("{} folded {} in {} in {:.1f} s\n", numbers.worker,
               Plural(summary.counts.items, "document", "documents"),
               Plural(summary.minibatches, "minibatch", "minibatches"), summary.seconds);
  }
}

void Work(const WorkFlags& flags, const CLI::App& settings_given) {
  const Context program = ProgramContext();  // must live: without it no stop can be requested
  const Context context(flags.threads, program.token(),
                        [](const std::string& line) { Say("sda: " + line); });
  const cluster::Job job = flags.Open();
  CheckSameSettings(settings_given, job);
  cluster::Worker worker(job,
                         {.name = WorkerName(),
                          .until_caught_up = flags.until_caught_up,
                          .max_staleness = flags.max_staleness},
                         context);
  std::unique_ptr<MetricsServer> server;
  if (flags.metrics) {
    server = std::make_unique<MetricsServer>(*flags.metrics,
                                             [&] { return WorkerMetrics(worker.Numbers()); });
    Say("sda: metrics at " + server->url());
  }
  StartProgress start;
  worker.Run(RunProgress("documents", [&](const Summary&) { return Details(worker.Numbers()); }),
             [&](int sweep, int sweeps) {
               start(sweep, sweeps);
               return true;  // stopped early, it would be the first minibatch of the whole job
             });
  Show(worker, flags.json);
}

}  // namespace

void AddClusterWork(CLI::App* app) {
  CLI::App* command =
      app->add_subcommand("work", "Join a job as a worker, until stopped by Ctrl-C or SIGTERM");
  auto flags = std::make_shared<WorkFlags>();
  AddClusterOptions(command, flags.get());
  command
      ->add_option("--threads", flags->threads,
                   "Threads to compute with; changes nothing but the time; 0: all cores")
      ->check(CLI::Range(0, 10'000).description(""));
  command->add_flag("--until-caught-up", flags->until_caught_up,
                    "End when all workers together have learnt from all documents in the topic");
  command
      ->add_option("--max-staleness", flags->max_staleness,
                   "Deltas that the view may lack when a minibatch starts; default: any number")
      ->check(CLI::Range(0, 1'000'000'000).description(""));
  command->add_flag("--json", flags->json, "Print the summary as JSON");
  command
      ->add_option("--metrics", flags->metrics,
                   "Serve this worker's metrics for Prometheus on this port of 127.0.0.1;\n"
                   "0: a free port, which is printed on standard error")
      ->check(CLI::Range(0, 65'535).description(""))
      ->type_name("PORT");
  // A worker takes its settings from the job; if it is given others, it is refused.
  CLI::Option_group* expected = command->add_option_group(
      "Settings of the job; the worker is refused if it is given different ones");
  AddJobOptions(expected, &flags->expected);
  command->callback([=] { Work(*flags, *expected); });
}

}  // namespace sda
