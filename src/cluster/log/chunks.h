#ifndef SDA_CLUSTER_LOG_CHUNKS_H_
#define SDA_CLUSTER_LOG_CHUNKS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/log/note.h"

namespace sda::cluster {

// Deltas and snapshots are larger than a message may be, so they are split into chunks. Each
// is the value of one message.
inline constexpr size_t kChunkBytes = 900'000;  // of the 1 MB that brokers take by default

uint64_t ChunksOf(std::string_view body);
std::string_view Chunk(std::string_view body, uint64_t chunk);

// Puts chunks together again. Those of several deltas may come mixed; those of one come in order,
// since one transaction of one producer writes them, or one keeper.
class Assembler {
 public:
  // Of what is not whole. When there is too much, the oldest is given up: all readers of a log give
  // up the same.
  struct Limits {
    uint64_t chunks = 1024;                 // of one
    uint64_t bytes = uint64_t{1024} << 20;  // of all together
    size_t number = 1024;
    int64_t milliseconds = 0;  // by the broker's clock, from the first chunk on; 0: any time
  };
  struct Whole {
    std::string header;  // of its first chunk
    std::string body;
    int64_t first_offset;
  };
  struct GivenUp {
    std::string id;
    int64_t first_offset;
    const char* why;  // continues a sentence, as messages of InputError do
  };

  explicit Assembler(AnyVersion any = AnyVersion::kNo) : any_(any) {}
  explicit Assembler(const Limits& limits) : limits_(limits) {}

  // The whole of which this is the last chunk, if it is. Throws InputError if the header is not a
  // note, or the chunk is not the next one of what it belongs to, which then remains as it was.
  // `milliseconds`: when the broker wrote it; -1 if that is not known.
  std::optional<Whole> Add(std::string_view header, std::string_view value, int64_t offset,
                           int64_t milliseconds = -1);

  // What was given up since the last call.
  std::vector<GivenUp> TakeGivenUp();

  // The first offset of what is not yet whole, or `otherwise` if there is nothing.
  int64_t FirstPending(int64_t otherwise) const;
  std::vector<std::string> PendingIds() const;
  void Clear();

 private:
  struct Pending {
    std::string id;
    std::string header;
    std::string body;
    uint64_t chunks;  // in all
    uint64_t next;    // expected
    int64_t milliseconds;
    uint64_t bytes() const { return id.size() + header.size() + body.size(); }
  };
  using Pendings = std::map<int64_t, Pending>;  // by their first offset: the oldest first

  Pendings::iterator Find(std::string_view id);
  void GiveUp(Pendings::iterator pending, const char* why);
  void Expire(int64_t milliseconds);
  void MakeRoom();

  const AnyVersion any_ = AnyVersion::kNo;
  const Limits limits_;
  Pendings pending_;
  uint64_t bytes_ = 0;  // of them
  std::vector<GivenUp> given_up_;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_CHUNKS_H_
