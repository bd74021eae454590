#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "cluster/cluster.h"
#include "cluster/worker/keeper.h"
#include "cluster/worker/member.h"
#include "cluster/worker/scored_primitive.h"
#include "cluster/worker/timed_primitive.h"
#include "cluster/worker/view_thread.h"
#include "cluster/worker/worker_store.h"
#include "commands/topic_options.h"
#include "sda/loop.h"
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
  JobSettings expected;
  std::optional<int> metrics;  // port
};

std::string WorkerName() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("{}-{}", host.data(), getpid());
}

std::unique_ptr<Primitive<Documents, KeyedRows>> NewPrimitive(const FitFlags& fit, uint64_t words) {
  // A first minibatch that is cut short would be the whole job's first.
  constexpr bool kMayBeCutShort = false;
  if (fit.primitive == "gibbs") {
    LdaGibbsOptions options = GibbsOptionsOf(fit, words);
    options.on_first_sweep = StartProgress(kMayBeCutShort);
    return std::make_unique<LdaGibbs>(options);
  }
  LdaOptions options = LdaOptionsOf(fit, words);
  options.on_start_sweep = StartProgress(kMayBeCutShort);
  return std::make_unique<LdaVb>(options);
}

// One worker, from joining the job to leaving it.
class Worker {
 public:
  Worker(const cluster::Job& job, const WorkFlags& flags)
      : job_(job), settings_(JobSettings::FromJson(job.settings)), name_(WorkerName()) {
    settings_.fit.threads = flags.threads;
    options_ = settings_.Worker();
    options_.until_caught_up = flags.until_caught_up;
    options_.max_staleness = flags.max_staleness;
    prior_ = settings_.Prior();
    prior_.ShareWork(std::make_shared<ThreadPool>(Cores(settings_.fit)));
  }

  // False if it must be called again: another worker was first, and chose other words.
  bool Run() {
    halted_ = false;
    const cluster::Member::Log log = [](const std::string& line) { Say("sda: " + line); };
    cluster::LogView view(job_, prior_, StopFlag());
    cluster::ViewThread reading(&view, StopFlag(), &halted_);
    cluster::Job named = job_;
    named.client["client.id"] = name_;  // so that others can tell who is keeper
    cluster::Keeper keeper(named, settings_.snapshot_every, &view, log);
    cluster::Member member(
        job_, name_, [&](bool begun) { return FoldedOffsets(view, begun); }, &halted_, log);
    const Watched watched(this, &view, &keeper, &member);
    MessageDocuments documents(settings_.Corpus());
    cluster::WorkerSource source(job_, options_, &member, &view, &documents, &halted_, log);
    cluster::WorkerStore store(job_, name_, options_, settings_.transport, &member, &view, &source,
                               &halted_);
    source.commit_nothing = [&](const auto& counts) { return store.AddNothing(counts); };
    if (source.SettleVocabulary()) {
      const uint64_t words = documents.vocabulary().size();
      const cluster::ScoredPrimitive scored(NewPrimitive(settings_.fit, words),
                                            settings_.Model(words),
                                            [&](const LdaScore& score) { store.SetScore(score); });
      const cluster::TimedPrimitive primitive(&scored, &computing_seconds_);
      RunOptions run_options;
      run_options.stop = &halted_;
      if (settings_.fit.half_life > 0) run_options.discount = HalfLife(settings_.fit.half_life);
      const Observer progress =
          ShowProgress(stderr, "documents", [&](const Summary&) { return Details(view, keeper); });
      const Observer remember = [&](const Summary& summary) {
        std::lock_guard lock(mutex_);
        current_ = summary;
      };
      sda::Run(source, primitive, store, run_options, Observers(progress, remember));
    }
    halted_ = true;  // nobody waits any more for the view to go on
    reading.Finish();
    return !source.must_start_over();
  }

  // For any thread, at any time.
  WorkerNumbers Numbers() const {
    std::lock_guard lock(mutex_);
    Summary all = summary_;
    Add(current_, &all);
    WorkerNumbers numbers{.job = job_.name,
                          .worker = name_,
                          .documents = all.items,
                          .minibatches = all.minibatches,
                          .lost = all.duplicates,
                          .computing_seconds = computing_seconds_,
                          .staleness_last = all.staleness_last,
                          .staleness_max = all.staleness_max,
                          .staleness_sum = all.staleness_sum,
                          .rejoined = rejoined_,
                          .expired = expired_,
                          .snapshots = snapshots_};
    if (watched_ != nullptr) watched_->AddTo(&numbers);
    return numbers;
  }

  void Show(bool json) const {
    if (json) {
      auto report = nlohmann::ordered_json::parse(ToJson(summary_, "documents"));
      report["worker"] = name_;
      report["rejoined"] = rejoined_;
      fmt::print("{}\n", Dump(report));
    } else {
      fmt::print("{} folded {} in {} in {:.1f} s\n", name_,
                 Plural(summary_.items, "document", "documents"),
                 Plural(summary_.minibatches, "minibatch", "minibatches"), summary_.seconds);
    }
  }

 private:
  // See Member.
  cluster::Member::Offsets FoldedOffsets(const cluster::LogView& view, bool begun) const {
    const cluster::Client client(
        RD_KAFKA_CONSUMER, begun ? job_.UncommittedProperties("") : job_.ConsumerProperties(""));
    const int64_t end = client.Offsets(job_.deltas_topic(), 0).end;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (view.position() < end && !halted_) {
      if (std::chrono::steady_clock::now() > give_up) {
        throw cluster::KafkaError("reading the log to its end", RD_KAFKA_RESP_ERR__TIMED_OUT);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return view.totals().offsets;
  }

  static std::string Details(const cluster::LogView& view, const cluster::Keeper& keeper) {
    const cluster::LogTotals totals = view.totals();
    std::string text = "job: " + Plural(totals.documents, "document", "documents");
    if (totals.score_tokens > 0) text += fmt::format("  held-out {:.4f}", totals.score());
    if (keeper.is_keeper()) text += "  keeper";
    return text;
  }

  static void Add(const Summary& summary, Summary* sum) {
    sum->minibatches += summary.minibatches;
    sum->items += summary.items;
    sum->duplicates += summary.duplicates;
    sum->seconds += summary.seconds;
    sum->staleness_sum += summary.staleness_sum;
    sum->staleness_last = summary.staleness_last;
    sum->staleness_max = std::max(sum->staleness_max, summary.staleness_max);
    sum->stopped = summary.stopped;
  }

  // The parts of a worker that know numbers, while they are there; their last ones are kept.
  class Watched {
   public:
    Watched(Worker* worker, const cluster::LogView* view, const cluster::Keeper* keeper,
            const cluster::Member* member)
        : worker_(*worker), view_(*view), keeper_(*keeper), member_(*member) {
      std::lock_guard lock(worker_.mutex_);
      worker_.watched_ = this;
    }
    ~Watched() {
      std::lock_guard lock(worker_.mutex_);
      Add(std::exchange(worker_.current_, {}), &worker_.summary_);
      worker_.rejoined_ += member_.counts().rejoined;
      worker_.expired_ += member_.counts().expired;
      worker_.snapshots_ += keeper_.snapshots();
      worker_.watched_ = nullptr;
    }

    void AddTo(WorkerNumbers* numbers) const {
      const cluster::LogTotals totals = view_.totals();
      const cluster::Member::Counts counts = member_.counts();
      numbers->partitions = counts.partitions;
      numbers->rejoined += counts.rejoined;
      numbers->expired += counts.expired;
      numbers->keeper = keeper_.is_keeper();
      numbers->snapshots += keeper_.snapshots();
      numbers->view_position = view_.position();
      numbers->view_deltas = totals.deltas;
      numbers->view_documents = totals.documents;
      numbers->view_loads = view_.loads();
    }

   private:
    Worker& worker_;
    const cluster::LogView& view_;
    const cluster::Keeper& keeper_;
    const cluster::Member& member_;
  };

  const cluster::Job job_;
  JobSettings settings_;
  const std::string name_;
  cluster::WorkerOptions options_;
  KeyedRows prior_;
  std::atomic<bool> halted_ = false;
  std::atomic<double> computing_seconds_ = 0;

  mutable std::mutex mutex_;  // guards what follows
  Summary summary_;           // of the calls of Run() that are over
  Summary current_;
  uint64_t rejoined_ = 0;
  uint64_t expired_ = 0;
  uint64_t snapshots_ = 0;
  const Watched* watched_ = nullptr;
};

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
                    "End when all documents that there are have been learnt from, by all workers");
  command
      ->add_option("--max-staleness", flags->max_staleness,
                   "Deltas that the view may lack when a minibatch starts; default: any number")
      ->check(CLI::Range(0, 1'000'000'000).description(""));
  command->add_flag("--json", flags->json, "Print what was done as JSON");
  command
      ->add_option("--metrics", flags->metrics,
                   "Serve this worker's metrics for Prometheus on this port of 127.0.0.1;\n"
                   "0: a free port, which is said on standard error")
      ->check(CLI::Range(0, 65'535).description(""))
      ->type_name("PORT");
  // A worker takes its settings from the job; one that insists on others is told so.
  CLI::Option_group* expected = command->add_option_group(
      "Settings of the job, which the worker is refused if they differ from");
  AddJobOptions(expected, &flags->expected);
  command->callback([=] {
    StopFlag();  // from here on signals are heard
    const cluster::Job job = flags->Open();
    CheckSameSettings(*expected, job);
    Worker worker(job, *flags);
    std::unique_ptr<MetricsServer> server;
    if (flags->metrics) {
      server = std::make_unique<MetricsServer>(*flags->metrics,
                                               [&] { return WorkerMetrics(worker.Numbers()); });
      Say("sda: metrics at " + server->url());
    }
    try {
      while (!worker.Run()) {
      }
    } catch (const cluster::KafkaError&) {
      if (!StopFlag()->load()) throw;  // else it was told to stop before it had begun
    }
    worker.Show(flags->json);
  });
}

}  // namespace sda
