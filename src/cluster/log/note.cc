#include "cluster/log/note.h"

#include <nlohmann/json.hpp>

#include "cluster/log/note_json.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

using nlohmann::json;

json ParseNote(std::string_view header, AnyVersion any = AnyVersion::kNo) {
  json note = ParseObject(header, "a note");
  if (any == AnyVersion::kNo) ExpectKnownVersion(note);
  return note;
}

std::vector<std::pair<std::string, int64_t>> ParseBeyond(const json& list) {
  std::vector<std::pair<std::string, int64_t>> beyond;
  if (!list.is_array()) throw InputError("has a note whose deltas beyond it are not a list");
  for (const json& pair : list) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() ||
        !pair[1].is_number_integer()) {
      throw InputError("has a note whose deltas beyond it are not pairs of an id and an offset");
    }
    beyond.emplace_back(pair[0].get<std::string>(), pair[1].get<int64_t>());
  }
  return beyond;
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
                   {"offsets", note.offsets}});
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
                  .offsets = OffsetsField(note, "offsets")};
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
                   {"beyond", note.beyond},
                   {"totals", note.totals}});
}

SnapshotNote ParseSnapshotHeader(std::string_view header) {
  const json note = ParseNote(header);
  return {.job = TextField(note, "job"),
          .id = TextField(note, "id"),
          .position = OffsetField(note, "position"),
          .beyond = ParseBeyond(Field(note, "beyond")),
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
  return chunk;
}

}  // namespace sda::cluster
