#ifndef SDA_CLUSTER_LOG_CHUNKS_H_
#define SDA_CLUSTER_LOG_CHUNKS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/log/note.h"

namespace sda::cluster {

// Deltas and snapshots are larger than a message may be, so they are split into chunks. Each
// is the value of one message.
inline constexpr size_t kChunkBytes = 900'000;  // of the 1 MB that brokers take by default

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

  explicit Assembler(AnyVersion any = AnyVersion::kNo) : any_(any) {}

  // The whole of which this is the last missing chunk, if it is. Throws InputError if the header is
  // not a note, or the chunk does not match the others.
  std::optional<Whole> Add(std::string_view header, std::string_view value, int64_t offset);

  // The first offset of what is not yet whole, or `otherwise` if there is nothing.
  int64_t FirstPending(int64_t otherwise) const;
  void Clear() { pending_.clear(); }

 private:
  struct Pending {
    std::string header;
    uint64_t expected;                       // chunks
    std::map<uint64_t, std::string> chunks;  // by number
    int64_t first_offset;
  };
  AnyVersion any_;
  std::map<std::string, Pending, std::less<>> pending_;  // by id
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_CHUNKS_H_
