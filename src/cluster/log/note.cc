#include "cluster/log/note.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cluster/log/note_json.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

using nlohmann::json;

json ToJson(const std::map<int32_t, OffsetRange>& offsets) {
  json list = json::array();
  for (const auto& [partition, range] : offsets) list.push_back({partition, range.from, range.to});
  return list;
}

json ParseNote(std::string_view header, AnyVersion any = AnyVersion::kNo) {
  constexpr size_t kMostBytes = 1 << 20;
  if (header.size() > kMostBytes) throw InputError("has a note that is larger than any can be");
  json note = ParseObject(header, "a note");
  if (any == AnyVersion::kNo) ExpectKnownVersion(note);
  return note;
}

std::vector<std::string> ParsePending(const json& list) {
  std::vector<std::string> ids;
  if (!list.is_array()) throw InputError("has a note whose incomplete deltas are not a list");
  for (const json& id : list) {
    if (!id.is_string()) throw InputError("has a note whose incomplete deltas are not ids");
    ids.push_back(id.get<std::string>());
  }
  return ids;
}

}  // namespace

std::string ToHeader(const DeltaNote& note, uint64_t chunk, uint64_t chunks) {
  return DumpJson({{"version", kLogVersion},
                   {"job", note.job},
                   {"id", note.id},
                   {"chunk", chunk},
                   {"chunks", chunks},
                   {"worker", note.worker},
                   {"documents", note.documents},
                   {"tokens", note.tokens},
                   {"skipped", note.skipped},
                   {"bad", note.bad},
                   {"deltas_in_prior", note.deltas_in_prior},
                   {"discount", note.discount},
                   {"seconds", note.seconds},
                   {"score_sum", note.score_sum},
                   {"score_tokens", note.score_tokens},
                   {"offsets", ToJson(note.offsets)}});
}

DeltaNote ParseDeltaHeader(std::string_view header) {
  const json note = ParseNote(header);
  DeltaNote delta{.job = TextField(note, "job"),
                  .id = TextField(note, "id"),
                  .worker = TextField(note, "worker"),
                  .documents = CountField(note, "documents"),
                  .tokens = CountField(note, "tokens"),
                  .skipped = CountField(note, "skipped"),
                  .bad = CountField(note, "bad"),
                  .deltas_in_prior = CountField(note, "deltas_in_prior"),
                  .discount = NumberField(note, "discount"),
                  .seconds = NumberField(note, "seconds"),
                  .score_sum = NumberField(note, "score_sum"),
                  .score_tokens = CountField(note, "score_tokens"),
                  .offsets = RangesField(note, "offsets")};
  if (!(delta.discount >= 0 && delta.discount <= 1)) {
    throw InputError("has a field discount that is not between 0 and 1");
  }
  return delta;
}

std::string ToHeader(const SnapshotNote& note, uint64_t chunk, uint64_t chunks) {
  return DumpJson({{"version", kLogVersion},
                   {"job", note.job},
                   {"id", note.id},
                   {"chunk", chunk},
                   {"chunks", chunks},
                   {"position", note.position},
                   {"read_to", note.read_to},
                   {"pending", note.pending},
                   {"totals", note.totals}});
}

SnapshotNote ParseSnapshotHeader(std::string_view header) {
  const json note = ParseNote(header);
  return {.job = TextField(note, "job"),
          .id = TextField(note, "id"),
          .position = OffsetField(note, "position"),
          .read_to = OffsetField(note, "read_to"),
          .pending = ParsePending(Field(note, "pending")),
          .totals = TextField(note, "totals")};
}

std::string ToHeader(const ChunkNote& note) {
  return DumpJson(
      {{"version", kLogVersion}, {"id", note.id}, {"chunk", note.chunk}, {"chunks", note.chunks}});
}

ChunkNote ParseChunk(std::string_view header, AnyVersion any) {
  const json note = ParseNote(header, any);
  ChunkNote chunk{CountField(note, "chunk"), CountField(note, "chunks"), TextField(note, "id")};
  constexpr uint64_t kMostChunks = 1'000'000;
  if (chunk.chunk >= chunk.chunks || chunk.chunks > kMostChunks) {
    throw InputError("has a note with an impossible chunk number");
  }
  constexpr size_t kMostIdBytes = 64;
  const auto is_plain = [](char c) { return c > ' ' && c < 127 && c != '"' && c != '\\'; };
  if (chunk.id.empty() || chunk.id.size() > kMostIdBytes ||
      !std::all_of(chunk.id.begin(), chunk.id.end(), is_plain)) {
    throw InputError("has a note with an id that none has");
  }
  return chunk;
}

}  // namespace sda::cluster
