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
                                               int64_t offset, int64_t milliseconds) {
  Expire(milliseconds);
  const ChunkNote note = ParseChunk(header, any_);
  const bool last = note.chunk + 1 == note.chunks;
  if (note.chunks > limits_.chunks) throw InputError("has more chunks than it can need");
  if (value.size() > kChunkBytes || (!last && value.size() < kChunkBytes)) {
    throw InputError("has a chunk of another size than chunks have");
  }
  const auto found = Find(note.id);
  if (note.chunk == 0 && found == pending_.end()) {
    if (last) return Whole{std::string(header), std::string(value), offset};
    const auto [begun, is_new] = pending_.try_emplace(
        offset,
        Pending{note.id, std::string(header), std::string(value), note.chunks, 1, milliseconds});
    if (!is_new) throw InputError("has an offset that another one has");
    bytes_ += begun->second.bytes();
    MakeRoom();
    return std::nullopt;
  }
  if (found == pending_.end()) throw InputError("has a chunk without those before it");
  Pending& pending = found->second;
  if (note.chunk != pending.next || note.chunks != pending.chunks) {
    throw InputError("has a chunk that does not match the others");
  }
  pending.body += value;
  bytes_ += value.size();
  ++pending.next;
  if (!last) {
    MakeRoom();
    return std::nullopt;
  }
  bytes_ -= pending.bytes();
  Whole whole{std::move(pending.header), std::move(pending.body), found->first};
  pending_.erase(found);
  return whole;
}

std::vector<Assembler::GivenUp> Assembler::TakeGivenUp() { return std::exchange(given_up_, {}); }

Assembler::Pendings::iterator Assembler::Find(std::string_view id) {
  return std::find_if(pending_.begin(), pending_.end(),
                      [&](const auto& pending) { return pending.second.id == id; });
}

void Assembler::GiveUp(Pendings::iterator pending, const char* why) {
  bytes_ -= pending->second.bytes();
  given_up_.push_back({std::move(pending->second.id), pending->first, why});
  pending_.erase(pending);
}

// A transaction that is over has written all chunks that it ever will.
void Assembler::Expire(int64_t milliseconds) {
  if (limits_.milliseconds == 0) return;
  for (auto next = pending_.begin(); next != pending_.end();) {
    const auto pending = next++;
    if (milliseconds - pending->second.milliseconds > limits_.milliseconds) {
      GiveUp(pending, "is not complete, and its transaction is over");
    }
  }
}

void Assembler::MakeRoom() {
  while (pending_.size() > limits_.number || bytes_ > limits_.bytes) {
    GiveUp(pending_.begin(), "is not complete, and too many others are not");
  }
}

int64_t Assembler::FirstPending(int64_t otherwise) const {
  return pending_.empty() ? otherwise : std::min(otherwise, pending_.begin()->first);
}

std::vector<std::string> Assembler::PendingIds() const {
  std::vector<std::string> ids;
  for (const auto& [offset, pending] : pending_) ids.push_back(pending.id);
  return ids;
}

void Assembler::Clear() {
  pending_.clear();
  bytes_ = 0;
  given_up_.clear();
}

}  // namespace sda::cluster
