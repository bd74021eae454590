#ifndef SDA_CLUSTER_REPAIR_H_
#define SDA_CLUSTER_REPAIR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/job.h"
#include "cluster/log/log_totals.h"
#include "cluster/log/set_aside.h"
#include "sda/context.h"

namespace sda::cluster {

struct RepairOptions {
  bool from_documents = false;  // even if the log can be used
  bool accept_loss = false;     // of documents that their topic does not have any more
  bool dry_run = false;         // only finds out what would be done
};

struct RepairReport {
  // Of all topics but that of the documents: how many messages, and the first of them.
  uint64_t set_aside = 0;
  std::vector<SetAside> named;

  std::optional<LogTotals> log;  // what its good part adds up to; none if it cannot be used,
  std::string why_not;           // and why

  uint64_t unlearnt = 0;   // documents that workers have read, and that are not in the posterior
  uint64_t available = 0;  // messages of the documents' topic, about
  uint64_t gone = 0;       // that it had before
  bool starts_over = false;
  bool done = false;  // else it was a dry run, or there was nothing to do
};

// Repairs a job that has no workers now. If the log can be used, from the newest good snapshot or
// its beginning on, its good part becomes a new snapshot. Else, or if the options ask for it, the
// job starts over from its documents, as a new one with the same settings.
//
// Killed at any step, it can be called again: until the new settings count, the job is the old one.
//
// Throws IoError if workers are at work, or documents are gone and the options do not accept that;
// KafkaError.
RepairReport RepairJob(const Job& job, const RepairOptions& options, const Context& context);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_REPAIR_H_
