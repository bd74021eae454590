#include "cluster/log/snapshot_reader.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "base/text.h"
#include "cluster/log/broker_answers.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

int64_t LogBegin(const Job& job, milliseconds patience, const std::stop_token& stop,
                 const Consumer& consumer) {
  const auto give_up = Clock::now() + patience;
  while (true) {
    try {
      return consumer.BeginOffset(job.deltas_topic(), 0);
    } catch (const KafkaError& e) {
      if (!IsTransient(e.code()) || Clock::now() > give_up || stop.stop_requested()) throw;
    }
    std::this_thread::sleep_for(milliseconds(100));
  }
}

// All messages of the topic, to its end.
void ReadAll(const Job& job, milliseconds patience, const std::stop_token& stop, Consumer* consumer,
             CheckedSnapshots* snapshots) {
  auto error = RD_KAFKA_RESP_ERR__TIMED_OUT;
  auto give_up = Clock::now() + patience;
  while (Clock::now() < give_up && !stop.stop_requested()) {
    const auto message = consumer->Poll(milliseconds(100));
    if (!message || IsTransient(message->error())) continue;
    if (message->at_end()) return;
    if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) {
      error = message->error();
      if (consumer->IsGone(job.snapshots_topic())) break;
      continue;
    }
    snapshots->Add({.header = message->header(kNoteHeader),
                    .value = message->value(),
                    .offset = message->offset(),
                    .milliseconds = message->milliseconds()});
    give_up = Clock::now() + patience;
  }
  throw KafkaError("topic " + job.snapshots_topic() + " cannot be read to its end", error);
}

}  // namespace

SnapshotsRead ReadSnapshots(const Job& job, const LogRules& rules, const LogQuestions& questions,
                            milliseconds patience, const std::stop_token& stop) {
  Consumer consumer(job.LookProperties());
  // Before the snapshots: the log is deleted only up to one that exists.
  const int64_t log_begin = LogBegin(job, patience, stop, consumer);
  CheckedSnapshots snapshots(rules, job.snapshots_topic(), log_begin, questions);
  consumer.Assign(job.snapshots_topic(), 0, kFromBeginning);
  ReadAll(job, patience, stop, &consumer, &snapshots);
  if (!snapshots.newest() && log_begin > 0) {
    const SetAsides& bad = snapshots.set_aside();
    throw InputError(fmt::format(
        "topic {} begins at offset {}, and there is no good snapshot of what was before{}; rebuild "
        "the job with: sda cluster repair {}",
        job.deltas_topic(), log_begin,
        bad.count == 0 ? ""
                       : fmt::format(" ({}, the last: {})",
                                     Plural(bad.count, "message is none", "messages are none"),
                                     Describe(bad.last.back())),
        job.name));
  }
  return {std::move(snapshots.newest()), snapshots.set_aside()};
}

SnapshotsRead ReadSnapshots(const Job& job, const std::stop_token& stop) {
  constexpr auto kPatience = std::chrono::minutes(2);
  BrokerAnswers answers(job, kPatience, stop);
  return ReadSnapshots(job, LogRules::Of(job), answers.questions(), kPatience, stop);
}

}  // namespace sda::cluster
