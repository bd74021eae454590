#include "cluster/worker/worker.h"

#include <chrono>
#include <thread>
#include <utility>

#include "cluster/stored_job.h"
#include "cluster/worker/careful_primitive.h"
#include "cluster/worker/dead_letter_box.h"
#include "cluster/worker/delta_writer.h"
#include "cluster/worker/keeper.h"
#include "cluster/worker/view_thread.h"
#include "cluster/worker/worker_source.h"
#include "cluster/worker/worker_store.h"
#include "data/text/message_documents.h"
#include "lda/score/prequential.h"
#include "sda/loop.h"
#include "topics/learner.h"

namespace sda::cluster {
namespace {

WorkerOptions OptionsOf(const TopicOptions& options) {
  return {.minibatch = static_cast<uint64_t>(options.minibatch.value()),
          .first_minibatch = static_cast<uint64_t>(options.first_minibatch.value()),
          .vocabulary_from = options.vocab_from,
          .minibatch_seconds = options.minibatch_seconds,
          .fixed_prior = options.worker_prior == WorkerPrior::kFixedPrior};
}

// It shows other processes which worker is the keeper.
Job NamedJob(Job job, const std::string& worker) {
  job.client["client.id"] = worker;
  return job;
}

}  // namespace

class Worker::Watched {
 public:
  Watched(Worker* worker, const LogView* view, const Keeper* keeper, const Member* member)
      : worker_(*worker), view_(*view), keeper_(*keeper), member_(*member) {
    std::lock_guard lock(worker_.mutex_);
    worker_.watched_ = this;
  }
  ~Watched() {
    std::lock_guard lock(worker_.mutex_);
    worker_.summary_ += std::exchange(worker_.current_, {});
    worker_.rejoined_ += member_.counts().rejoined;
    worker_.expired_ += member_.counts().expired;
    worker_.snapshots_ += keeper_.snapshots();
    worker_.watched_ = nullptr;
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  void AddTo(WorkerNumbers* numbers) const {
    const LogTotals totals = view_.totals();
    const Member::Counts counts = member_.counts();
    numbers->partitions = counts.partitions;
    numbers->rejoined += counts.rejoined;
    numbers->expired += counts.expired;
    numbers->keeper = keeper_.is_keeper();
    numbers->snapshots += keeper_.snapshots();
    numbers->view_position = view_.position();
    numbers->view_deltas = totals.deltas;
    numbers->view_documents = totals.documents;
    numbers->view_loads = view_.loads();
    numbers->set_aside = view_.set_aside();
    numbers->view_score_sum = totals.score_sum;
    numbers->view_score_tokens = totals.score_tokens;
  }

 private:
  Worker& worker_;
  const LogView& view_;
  const Keeper& keeper_;
  const Member& member_;
};

Worker::Worker(const Job& job, const Options& options, Context context)
    : job_(job),
      name_(options.name),
      settings_(JobSettings::FromJson(job.settings)),
      options_(OptionsOf(settings_.options)),
      context_(std::move(context)) {
  options_.until_caught_up = options.until_caught_up;
  options_.max_staleness = options.max_staleness;
}

void Worker::Run(const Observer& observer, const OnSweep& on_start_sweep) try {
  while (!RunOnce(observer, on_start_sweep)) {
  }
} catch (const KafkaError&) {
  if (!context_.StopRequested()) throw;  // else it was stopped before it had begun
}

// False if all has to start again: another worker was first, and chose other words.
bool Worker::RunOnce(const Observer& observer, const OnSweep& on_start_sweep) {
  // Stopped when the worker is, and also when the view fails or is no longer needed.
  const Context run(context_.threads(), context_.token(),
                    [this](const std::string& line) { context_.Log(line); });
  DeadLetterBox letters;
  for (const SetAside& message : OtherSettings()) letters.Add(message);
  LogView view(job_, settings_.Prior(), context_,
               [&](const SetAside& message) { letters.Add(message); });
  ViewThread reading(&view, context_, run);
  const Keeper keeper(NamedJob(job_, name_), name_, settings_.snapshot_every, &view, &letters, run);
  Member member(
      job_, name_, [&](bool begun) { return FoldedOffsets(view, begun, run); }, run);
  const Watched watched(this, &view, &keeper, &member);
  MessageDocuments documents(settings_.Corpus());
  DeltaWriter writer(job_, name_, settings_.transport, &member, &view, run);
  WorkerSource source(job_, options_, &member, &view, &documents, &writer, run);
  std::vector<LeftOut> left_out;
  WorkerStore store(job_, options_, &member, &writer, &view, &left_out, run);
  if (source.SettleVocabulary()) {
    const uint64_t words = documents.vocabulary().size();
    const TopicLearner learner =
        MakeTopicLearner(settings_.options, words, run, {.on_start_sweep = on_start_sweep});
    const Observer remember = [this](const Summary& summary) {
      std::lock_guard lock(mutex_);
      current_ = summary;
    };
    // Serial: the others of the run are other processes.
    const CarefulPrimitive primitive(learner.primitive.get(), &left_out, run);
    sda::Run(source, primitive, store, RunOptions{.discount = learner.run.discount},
             Observers(remember, observer), run,
             CarefulScorer(ScoreBeforeLearning(learner.spec, run)));
  }
  run.RequestStop();
  reading.Finish();
  return !source.must_start_over();
}

// Messages of the settings' topic that do not count.
std::vector<SetAside> Worker::OtherSettings() const {
  try {
    return ReadStoredJob(job_, job_.settings_topic(), ReadSettings::kToEnd, context_.token())
        .set_aside;
  } catch (const KafkaError&) {
    return {};  // the job is known: it goes on without them
  }
}

// See Member.
Member::Offsets Worker::FoldedOffsets(const LogView& view, bool begun, const Context& run) const {
  const Consumer client(begun ? job_.UncommittedProperties("") : job_.ConsumerProperties(""));
  const int64_t end = client.EndOffset(job_.deltas_topic(), 0);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (view.position() < end && !run.StopRequested()) {
    if (std::chrono::steady_clock::now() > give_up) {
      throw KafkaError("reading the log to its end", RD_KAFKA_RESP_ERR__TIMED_OUT);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return view.totals().offsets;
}

WorkerNumbers Worker::Numbers() const {
  std::lock_guard lock(mutex_);
  Summary all = summary_;
  all += current_;
  WorkerNumbers numbers{.job = job_.name,
                        .worker = name_,
                        .documents = all.counts.items,
                        .minibatches = all.minibatches,
                        .lost = all.duplicates,
                        .computing_seconds = all.computing_seconds,
                        .staleness_last = all.staleness_last,
                        .staleness_max = all.staleness_max,
                        .staleness_sum = all.staleness_sum,
                        .rejoined = rejoined_,
                        .expired = expired_,
                        .snapshots = snapshots_};
  if (watched_ != nullptr) watched_->AddTo(&numbers);
  return numbers;
}

}  // namespace sda::cluster
