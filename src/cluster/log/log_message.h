#ifndef SDA_CLUSTER_LOG_LOG_MESSAGE_H_
#define SDA_CLUSTER_LOG_LOG_MESSAGE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sda/keyed_rows.h"

namespace sda::cluster {

// What goes through a job's topics is larger than a message may be, so it is cut into chunks. Each
// is the value of one message, with the note, as JSON, in this header.
inline constexpr char kNoteHeader[] = "sda";
inline constexpr size_t kChunkBytes = 900'000;  // of the 1 MB that brokers take by default

// What a delta says of itself: small, and readable without unpacking the delta.
struct DeltaNote {
  std::string job;  // the id of the job it belongs to
  std::string id;   // its own, unique
  std::string worker;
  uint64_t documents = 0;        // folded with it
  uint64_t tokens = 0;           // in them
  uint64_t skipped = 0;          // documents without a known word
  uint64_t bad = 0;              // messages that are no documents
  uint64_t deltas_in_prior = 0;  // that the worker's view held
  double discount = 1;           // the share of what was known before that it keeps
  double seconds = 0;            // of computing
  double score_sum = 0;          // log predictive probability of documents before they were learnt
  uint64_t score_tokens = 0;     // of them tested
  std::map<int32_t, int64_t> offsets;  // behind its documents, by partition

  bool operator==(const DeltaNote&) const = default;
};

// The words of the vocabulary come with the first delta of a job that chose them itself.
struct LogDelta {
  DeltaNote note;
  std::vector<std::string> vocabulary;
  KeyedRows change;
};

// The numbers as float or double; compressed.
enum class Transport { kFloat, kDouble };
std::string PackDelta(const KeyedRows& change, const std::vector<std::string>& vocabulary,
                      Transport transport);
// Throws std::invalid_argument if bytes are not what PackDelta() returns.
void UnpackDelta(std::string_view bytes, LogDelta* delta);

// The view at one place of the log.
struct SnapshotNote {
  std::string job;
  std::string id;
  int64_t position = 0;  // of the log, from where to go on
  // Deltas in it that reach beyond the position: id and last offset.
  std::vector<std::pair<std::string, int64_t>> beyond;
  std::string totals;  // LogTotals as JSON
};

std::string PackSnapshot(const KeyedRows& posterior, const std::vector<std::string>& vocabulary);
void UnpackSnapshot(std::string_view bytes, KeyedRows* posterior,
                    std::vector<std::string>* vocabulary);

// A note with the number of the chunk, as the header of its message has it.
struct ChunkNote {
  uint64_t chunk = 0;
  uint64_t chunks = 1;
  std::string id;
};
std::string ToHeader(const DeltaNote& note, uint64_t chunk, uint64_t chunks);
std::string ToHeader(const SnapshotNote& note, uint64_t chunk, uint64_t chunks);
// Throw std::invalid_argument if the header is not what ToHeader() returns.
DeltaNote ParseDeltaHeader(std::string_view header);
SnapshotNote ParseSnapshotHeader(std::string_view header);
ChunkNote ParseChunk(std::string_view header);

uint64_t ChunksOf(std::string_view body);
std::string_view Chunk(std::string_view body, uint64_t chunk);

// Puts chunks together again; those of several deltas may come mixed.
class Assembler {
 public:
  struct Whole {
    std::string header;  // of its first chunk
    std::string body;
    int64_t first_offset;
  };

  // The whole of which this is the last missing chunk, if it is.
  std::optional<Whole> Add(std::string_view header, std::string_view value, int64_t offset);

  // The first offset of what is not yet whole, or `otherwise` if there is nothing.
  int64_t FirstPending(int64_t otherwise) const;
  void Clear() { pending_.clear(); }

 private:
  struct Pending {
    std::string header;
    std::vector<std::string> chunks;
    uint64_t missing;
    int64_t first_offset;
  };
  std::map<std::string, Pending, std::less<>> pending_;  // by id
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_LOG_MESSAGE_H_
