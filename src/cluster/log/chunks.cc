#include "cluster/log/chunks.h"

#include <algorithm>
#include <utility>

#include "sda/errors.h"

namespace sda::cluster {

uint64_t ChunksOf(std::string_view body) {
  return std::max<uint64_t>(1, (body.size() + kChunkBytes - 1) / kChunkBytes);
}

std::string_view Chunk(std::string_view body, uint64_t chunk) {
  return body.substr(chunk * kChunkBytes, kChunkBytes);
}

std::optional<Assembler::Whole> Assembler::Add(std::string_view header, std::string_view value,
                                               int64_t offset) {
  const ChunkNote note = ParseChunk(header, any_);
  if (note.chunks == 1) return Whole{std::string(header), std::string(value), offset};
  Pending& pending =
      pending_.try_emplace(note.id, Pending{"", note.chunks, {}, offset}).first->second;
  if (pending.expected != note.chunks ||
      !pending.chunks.try_emplace(note.chunk, std::string(value)).second) {
    throw InputError("has a chunk that does not match the others");
  }
  if (note.chunk == 0) pending.header = header;
  if (pending.chunks.size() < pending.expected) return std::nullopt;

  Whole whole{std::move(pending.header), "", pending.first_offset};
  for (const auto& [number, chunk] : pending.chunks) whole.body += chunk;
  pending_.erase(note.id);
  return whole;
}

int64_t Assembler::FirstPending(int64_t otherwise) const {
  int64_t first = otherwise;
  for (const auto& [id, pending] : pending_) first = std::min(first, pending.first_offset);
  return first;
}

}  // namespace sda::cluster
