#ifndef SDA_CLUSTER_LOG_NOTE_H_
#define SDA_CLUSTER_LOG_NOTE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sda/source.h"

namespace sda::cluster {

// Each message of a job's log has a note, as JSON, in this header: small, and readable without
// unpacking the value. It begins with the version of the log (note_json.h).
inline constexpr char kNoteHeader[] = "sda";

// Offsets of documents in a partition, not all of which need to be documents: there are marks of
// transactions, too, and what was aborted.
struct OffsetRange {
  int64_t from = 0;
  int64_t to = 0;  // not in it

  bool operator==(const OffsetRange&) const = default;
};

// The description of a delta.
struct DeltaNote {
  std::string job;  // the id of the job it belongs to
  std::string id;   // its own, unique
  std::string worker;
  uint64_t documents = 0;        // folded with it
  uint64_t tokens = 0;           // in them
  uint64_t skipped = 0;          // documents without a known word
  uint64_t bad = 0;              // messages that are not documents
  uint64_t deltas_in_prior = 0;  // that the worker's view held
  double discount = 1;           // the share of what was known before that it keeps
  double seconds = 0;            // of computing
  double score_sum = 0;          // log predictive probability of documents before they were learnt
  uint64_t score_tokens = 0;     // of them tested
  std::map<int32_t, OffsetRange> offsets;  // of its documents, by partition

  bool operator==(const DeltaNote&) const = default;
};

// The view at one place of the log.
struct SnapshotNote {
  std::string job;
  std::string id;
  int64_t position = 0;  // of the log, where reading continues: at the first incomplete delta
  int64_t read_to = 0;   // the offset up to which the log is in it
  std::vector<std::string> pending;  // ids of deltas that were incomplete there
  std::string totals;                // LogTotals as JSON
};

// Which part of something larger a message is.
struct ChunkNote {
  uint64_t chunk = 0;
  uint64_t chunks = 1;
  std::string id;
};

std::string ToHeader(const DeltaNote& note, uint64_t chunk, uint64_t chunks);
std::string ToHeader(const SnapshotNote& note, uint64_t chunk, uint64_t chunks);
// A note with nothing else.
std::string ToHeader(const ChunkNote& note);

// Throw InputError if the header is not what ToHeader() returns, or has a version that this program
// does not read. The message continues a sentence: "the delta ..."
DeltaNote ParseDeltaHeader(std::string_view header);
SnapshotNote ParseSnapshotHeader(std::string_view header);
// kYes: also of versions that this program does not read.
enum class AnyVersion { kNo, kYes };
ChunkNote ParseChunk(std::string_view header, AnyVersion any = AnyVersion::kNo);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_NOTE_H_
