#include "cluster/log/snapshot_writer.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "cluster/kafka/fault_point.h"
#include "cluster/log/body.h"
#include "cluster/log/chunks.h"
#include "cluster/log/snapshot_check.h"
#include "sda/errors.h"

namespace sda::cluster {

uint64_t WriteSnapshot(const Job& job, const LogRules& rules, LogView::Copy copy,
                       Producer* producer) {
  constexpr uint64_t kChunksPerTransaction = 32;
  const SnapshotBody snapshot{std::move(copy.vocabulary), std::move(copy.posterior)};
  try {
    CheckSnapshot(copy.note, copy.totals, snapshot, rules);
  } catch (const InputError& e) {
    throw InputError(fmt::format("that of its view {}", e.what()));
  }
  const std::string body = PackSnapshot(snapshot.posterior, snapshot.vocabulary);
  const uint64_t chunks = ChunksOf(body);
  for (uint64_t chunk = 0; chunk < chunks;) {
    producer->Begin();
    for (uint64_t i = 0; i < kChunksPerTransaction && chunk < chunks; ++i, ++chunk) {
      producer->Produce(job.snapshots_topic(), 0, copy.note.id, Chunk(body, chunk), kNoteHeader,
                        ToHeader(copy.note, chunk, chunks));
    }
    FaultPoint("snapshot-produced");
    producer->Commit();
  }
  FaultPoint("snapshot-committed");
  return body.size();
}

}  // namespace sda::cluster
