#include "cluster/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "base/text.h"
#include "cluster/job_settings.h"
#include "cluster/kafka/admin.h"
#include "cluster/kafka/fault_point.h"
#include "cluster/log/log_view.h"
#include "cluster/log/snapshot_writer.h"
#include "cluster/stored_job.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;

constexpr size_t kMostNamed = 100;

void Name(const SetAside& message, RepairReport* report) {
  if (++report->set_aside <= kMostNamed) report->named.push_back(message);
}

// How many messages are in the partition from one offset to another: the offsets of marks of
// transactions are not.
uint64_t CountMessages(const Job& job, int32_t partition, int64_t from, int64_t to,
                       const Context& context) {
  constexpr auto kPatience = std::chrono::seconds(30);
  Consumer consumer(job.LookProperties());
  consumer.Assign(job.documents, partition, from);
  uint64_t count = 0;
  auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (!context.StopRequested()) {
    if (std::chrono::steady_clock::now() > give_up) {
      throw KafkaError("topic " + job.documents, RD_KAFKA_RESP_ERR__TIMED_OUT);
    }
    const auto message = consumer.Poll(milliseconds(100));
    if (!message) continue;
    if (message->at_end() || message->offset() >= to) break;
    if (message->error() != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    give_up = std::chrono::steady_clock::now() + kPatience;
    ++count;
  }
  return count;
}

// What is in the documents' topic, and what of it was read for nothing.
void LookAtDocuments(const Job& job, const Context& context, RepairReport* report) {
  const Consumer group(job.ConsumerProperties(job.group()));
  const int partitions = group.Partitions(job.documents);
  std::vector<int64_t> read(partitions, -1);
  try {
    read = group.Committed(job.documents, partitions);
  } catch (const KafkaError& e) {
    if (!e.unreachable()) throw;  // a group whose offsets are not known has read what the log says
  }
  for (int32_t p = 0; p < partitions; ++p) {
    const Client::Range range = group.Offsets(job.documents, p);
    report->gone += static_cast<uint64_t>(range.begin);
    report->available += static_cast<uint64_t>(range.end - range.begin);
    if (!report->log) continue;
    const auto folded = report->log->offsets.find(p);
    const int64_t learnt =
        std::max(range.begin, folded == report->log->offsets.end() ? 0 : folded->second);
    if (read[p] > learnt) report->unlearnt += CountMessages(job, p, learnt, read[p], context);
  }
}

[[noreturn]] void FailWithoutDocuments(const Job& job, const RepairReport& report) {
  throw IoError(fmt::format(
      "{}topic {} does not hold its first {} any more, and the job cannot learn from them again; "
      "--accept-loss starts over with the {} that are left",
      report.why_not.empty() ? "" : report.why_not + "; and ", job.documents,
      Plural(report.gone, "message", "messages"), Grouped(report.available)));
}

// The job as a new one, of the same settings. Until its settings count, which is when those before
// them are deleted, the job is the old one. The rest is about space.
void StartOver(const Job& job, const Context& context) {
  Job fresh = job;
  fresh.id = RandomId();
  fresh.fed_as = job.feeds_id();
  Producer producer(job.ProducerProperties("repair"), context.token());
  const int64_t settings_end = producer.EndOffset(job.settings_topic(), 0);
  const int64_t snapshots_end = producer.EndOffset(job.snapshots_topic(), 0);
  const int64_t deltas_end = producer.EndOffset(job.deltas_topic(), 0);
  // An empty log begins here.
  const JobSettings settings = JobSettings::FromJson(job.settings);
  LogView::Copy nothing{.note = {.job = fresh.id,
                                 .id = RandomId(),
                                 .position = deltas_end,
                                 .read_to = deltas_end,
                                 .totals = LogTotals().ToJson()},
                        .posterior = settings.Prior()};
  WriteSnapshot(fresh, LogRules::Of(fresh, settings), std::move(nothing), &producer);
  FaultPoint("repair-snapshot");
  WriteStoredJob(fresh, &producer);
  FaultPoint("repair-settings");
  // What it knows is in the log, too, as long as that counts.
  DeleteGroups(producer, {job.group(), job.keeper_group()});
  FaultPoint("repair-group");
  DeleteRecordsBefore(producer, job.settings_topic(), 0, settings_end);
  FaultPoint("repair-begun");
  DeleteRecordsBefore(producer, job.deltas_topic(), 0, deltas_end);
  FaultPoint("repair-deltas");
  DeleteRecordsBefore(producer, job.snapshots_topic(), 0, snapshots_end);
}

}  // namespace

RepairReport RepairJob(const Job& job, const RepairOptions& options, const Context& context) {
  const Client connection(job.client);
  ExpectNoWorkers(connection, job.name, job.group());
  RepairReport report;
  const auto name = [&](const SetAside& message) { Name(message, &report); };
  for (const SetAside& message :
       ReadStoredJob(job, job.settings_topic(), ReadSettings::kToEnd, context.token()).set_aside) {
    name(message);
  }
  std::optional<LogView> view;
  try {
    view.emplace(job, JobSettings::FromJson(job.settings).Prior(), context, name);
    view->CatchUp();
    report.log = view->totals();
  } catch (const InputError& e) {
    report.why_not = e.what();
  }
  LookAtDocuments(job, context, &report);
  report.starts_over = options.from_documents || !report.log;
  if (report.starts_over && report.gone > 0 && !options.accept_loss)
    FailWithoutDocuments(job, report);
  const bool has_work = report.starts_over || report.log->deltas > 0;
  if (options.dry_run || !has_work || context.StopRequested()) return report;
  ExpectNoWorkers(connection, job.name, job.group());
  if (report.starts_over) {
    StartOver(job, context);
  } else {
    Producer producer(job.ProducerProperties("keeper"), context.token());
    WriteSnapshot(job, view->rules(), view->CopyAll(), &producer);
  }
  report.done = true;
  return report;
}

}  // namespace sda::cluster
