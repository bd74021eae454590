#ifndef SDA_CLUSTER_LOG_BODY_H_
#define SDA_CLUSTER_LOG_BODY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sda/keyed_rows.h"

namespace sda::cluster {

// How the numbers of a delta are stored in the log; they are compressed, too.
enum class Transport { kFloat, kDouble };

inline constexpr uint64_t kAnyBytes = ~uint64_t{0};

// The words of the vocabulary are in the first delta of a job that chose them itself. The variances
// of the change travel with it; they have its keys, in its order.
struct DeltaBody {
  std::vector<std::string> vocabulary;
  KeyedRows change;
};

std::string PackDelta(const KeyedRows& change, const std::vector<std::string>& vocabulary,
                      Transport transport);
// Throws InputError if bytes are not what PackDelta() returns for rows of this width, or unpack to
// more than `most_bytes`: the message continues a sentence, as those of note.h do.
DeltaBody UnpackDelta(std::string_view bytes, size_t width, uint64_t most_bytes = kAnyBytes);

struct SnapshotBody {
  std::vector<std::string> vocabulary;
  KeyedRows posterior;
};

std::string PackSnapshot(const KeyedRows& posterior, const std::vector<std::string>& vocabulary);
// Throws as UnpackDelta().
SnapshotBody UnpackSnapshot(std::string_view bytes, size_t width, uint64_t most_bytes = kAnyBytes);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_BODY_H_
