#include "cluster/log/log_message.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace sda::cluster {
namespace {

using nlohmann::json;

constexpr int kCompression = 1;  // zstd's level: more takes longer and saves little
// A body may say that it unpacks to much: more than this per byte is a lie, or a zip bomb.
constexpr uint64_t kMaxExpansion = 4096;

std::string Compress(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size =
      ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kCompression);
  if (ZSTD_isError(size) != 0) throw std::runtime_error("zstd cannot compress");
  out.resize(size);
  return out;
}

std::string Decompress(std::string_view bytes) {
  const uint64_t size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
      size / kMaxExpansion > bytes.size()) {
    throw std::invalid_argument("is not compressed as it should be");
  }
  std::string out(size, '\0');
  const size_t written = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(written) != 0 || written != size) {
    throw std::invalid_argument("cannot be decompressed");
  }
  return out;
}

template <class T>
void Put(const T& value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Takes a number off the front of bytes.
uint64_t Take(std::string_view* bytes) {
  uint64_t value = 0;
  if (bytes->size() < sizeof(value)) throw std::invalid_argument("is cut off");
  std::memcpy(&value, bytes->data(), sizeof(value));
  bytes->remove_prefix(sizeof(value));
  return value;
}

std::string_view TakeBytes(uint64_t size, std::string_view* bytes) {
  if (size > bytes->size()) throw std::invalid_argument("is cut off");
  const std::string_view taken = bytes->substr(0, size);
  bytes->remove_prefix(size);
  return taken;
}

// First the first bytes of all numbers, then the second bytes, and so on: like stands beside like,
// and compresses better. By blocks, which the inner loops find in the cache.
constexpr size_t kBlock = 4096;

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

template <class T>
void PutPlanes(std::span<const T> numbers, std::string* out) {
  const size_t begin = out->size();
  out->resize(begin + numbers.size() * sizeof(T));
  std::array<Bits<T>, kBlock> block;
  for (size_t first = 0; first < numbers.size(); first += kBlock) {
    const size_t size = std::min(kBlock, numbers.size() - first);
    std::memcpy(block.data(), &numbers[first], size * sizeof(T));
    for (size_t plane = 0; plane < sizeof(T); ++plane) {
      char* bytes = out->data() + begin + plane * numbers.size() + first;
      for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(block[i] >> (8 * plane));
    }
  }
}

template <class T>
std::vector<T> TakePlanes(uint64_t count, std::string_view* bytes) {
  if (count > bytes->size() / sizeof(T)) throw std::invalid_argument("is cut off");
  const std::string_view planes = TakeBytes(count * sizeof(T), bytes);
  std::vector<T> numbers(count);
  std::array<Bits<T>, kBlock> block;
  for (size_t first = 0; first < count; first += kBlock) {
    const size_t size = std::min<size_t>(kBlock, count - first);
    block.fill(0);
    for (size_t plane = 0; plane < sizeof(T); ++plane) {
      const char* in = planes.data() + plane * count + first;
      for (size_t i = 0; i < size; ++i) {
        block[i] |= static_cast<Bits<T>>(static_cast<uint8_t>(in[i])) << (8 * plane);
      }
    }
    std::memcpy(&numbers[first], block.data(), size * sizeof(T));
  }
  return numbers;
}

void PutWords(const std::vector<std::string>& words, std::string* out) {
  Put<uint64_t>(words.size(), out);
  for (const std::string& word : words) {
    Put<uint64_t>(word.size(), out);
    out->append(word);
  }
}

std::vector<std::string> TakeWords(std::string_view* bytes) {
  const uint64_t count = Take(bytes);
  if (count > bytes->size() / sizeof(uint64_t)) throw std::invalid_argument("is cut off");
  std::vector<std::string> words(count);
  for (std::string& word : words) word = TakeBytes(Take(bytes), bytes);
  return words;
}

template <class T>
void PutRows(const KeyedRows& rows, std::string* out) {
  std::vector<T> numbers(rows.rows() * rows.width());
  for (size_t r = 0; r < rows.rows(); ++r) {
    std::copy(rows.row(r).begin(), rows.row(r).end(), numbers.begin() + r * rows.width());
  }
  PutPlanes<T>(numbers, out);
}

template <class T>
KeyedRows TakeRows(uint64_t width, std::span<const uint64_t> keys, std::string_view* bytes) {
  if (width == 0 || keys.size() > bytes->size() / width) throw std::invalid_argument("is cut off");
  const auto numbers = TakePlanes<T>(keys.size() * width, bytes);
  return KeyedRows::Difference(
      width, keys,
      [&](size_t i, double* row) { std::copy_n(numbers.begin() + i * width, width, row); },
      nullptr);
}

json ParseJson(std::string_view header) {
  auto parsed = json::parse(header, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) throw std::invalid_argument("has a note that is no JSON object");
  return parsed;
}

}  // namespace

std::string PackDelta(const KeyedRows& change, const std::vector<std::string>& vocabulary,
                      Transport transport) {
  std::string out;
  PutWords(vocabulary, &out);
  Put<uint64_t>(transport == Transport::kFloat ? sizeof(float) : sizeof(double), &out);
  Put<uint64_t>(change.width(), &out);
  Put<uint64_t>(change.rows(), &out);
  std::vector<uint64_t> steps(change.rows());  // from key to key: small numbers
  for (size_t r = 0; r < change.rows(); ++r) {
    steps[r] = change.key(r) - (r == 0 ? 0 : change.key(r - 1));
  }
  PutPlanes<uint64_t>(steps, &out);
  if (transport == Transport::kFloat) {
    PutRows<float>(change, &out);
  } else {
    PutRows<double>(change, &out);
  }
  return Compress(out);
}

void UnpackDelta(std::string_view bytes, LogDelta* delta) {
  const std::string unpacked = Decompress(bytes);
  std::string_view rest = unpacked;
  delta->vocabulary = TakeWords(&rest);
  const uint64_t bytes_per_number = Take(&rest);
  const uint64_t width = Take(&rest);
  std::vector<uint64_t> keys = TakePlanes<uint64_t>(Take(&rest), &rest);
  for (size_t r = 1; r < keys.size(); ++r) keys[r] += keys[r - 1];
  std::vector<uint64_t> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw std::invalid_argument("repeats a key");
  }
  if (bytes_per_number == sizeof(float)) {
    delta->change = TakeRows<float>(width, keys, &rest);
  } else if (bytes_per_number == sizeof(double)) {
    delta->change = TakeRows<double>(width, keys, &rest);
  } else {
    throw std::invalid_argument("has numbers of a size that is not known");
  }
  if (!rest.empty()) throw std::invalid_argument("has bytes to spare");
}

std::string PackSnapshot(const KeyedRows& posterior, const std::vector<std::string>& vocabulary) {
  std::string out;
  PutWords(vocabulary, &out);
  posterior.SerializeTo([&out](std::string_view bytes) { out.append(bytes); });
  return Compress(out);
}

void UnpackSnapshot(std::string_view bytes, KeyedRows* posterior,
                    std::vector<std::string>* vocabulary) {
  const std::string unpacked = Decompress(bytes);
  std::string_view rest = unpacked;
  *vocabulary = TakeWords(&rest);
  *posterior = KeyedRows::Deserialize(rest);
}

std::string ToHeader(const DeltaNote& note, uint64_t chunk, uint64_t chunks) {
  return json{{"job", note.job},
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
              {"offsets", note.offsets}}
      .dump();
}

DeltaNote ParseDeltaHeader(std::string_view header) {
  const json note = ParseJson(header);
  try {
    return {.job = note.at("job"),
            .id = note.at("id"),
            .worker = note.at("worker"),
            .documents = note.at("documents"),
            .tokens = note.at("tokens"),
            .skipped = note.at("skipped"),
            .bad = note.at("bad"),
            .deltas_in_prior = note.at("deltas_in_prior"),
            .discount = note.at("discount"),
            .seconds = note.at("seconds"),
            .score_sum = note.at("score_sum"),
            .score_tokens = note.at("score_tokens"),
            .offsets = note.at("offsets").get<std::map<int32_t, int64_t>>()};
  } catch (const json::exception& e) {
    throw std::invalid_argument(std::string("has a note that is no delta's: ") + e.what());
  }
}

std::string ToHeader(const SnapshotNote& note, uint64_t chunk, uint64_t chunks) {
  return json{{"job", note.job},
              {"id", note.id},
              {"chunk", chunk},
              {"chunks", chunks},
              {"position", note.position},
              {"beyond", note.beyond},
              {"totals", note.totals}}
      .dump();
}

SnapshotNote ParseSnapshotHeader(std::string_view header) {
  const json note = ParseJson(header);
  try {
    return {.job = note.at("job"),
            .id = note.at("id"),
            .position = note.at("position"),
            .beyond = note.at("beyond"),
            .totals = note.at("totals")};
  } catch (const json::exception& e) {
    throw std::invalid_argument(std::string("has a note that is no snapshot's: ") + e.what());
  }
}

ChunkNote ParseChunk(std::string_view header) {
  const json note = ParseJson(header);
  try {
    ChunkNote chunk{note.at("chunk"), note.at("chunks"), note.at("id")};
    constexpr uint64_t kMostChunks = 1'000'000;
    if (chunk.chunk >= chunk.chunks || chunk.chunks > kMostChunks) {
      throw std::invalid_argument("has a note with a chunk that cannot be");
    }
    return chunk;
  } catch (const json::exception& e) {
    throw std::invalid_argument(std::string("has a note without a chunk: ") + e.what());
  }
}

uint64_t ChunksOf(std::string_view body) {
  return std::max<uint64_t>(1, (body.size() + kChunkBytes - 1) / kChunkBytes);
}

std::string_view Chunk(std::string_view body, uint64_t chunk) {
  return body.substr(chunk * kChunkBytes, kChunkBytes);
}

std::optional<Assembler::Whole> Assembler::Add(std::string_view header, std::string_view value,
                                               int64_t offset) {
  const ChunkNote note = ParseChunk(header);
  if (note.chunks == 1) return Whole{std::string(header), std::string(value), offset};
  Pending& pending = pending_[note.id];
  if (pending.chunks.empty()) {
    pending = {std::string(), std::vector<std::string>(note.chunks), note.chunks, offset};
  }
  if (pending.chunks.size() != note.chunks || !pending.chunks[note.chunk].empty()) {
    throw std::invalid_argument("has a chunk that does not go with the others");
  }
  pending.chunks[note.chunk] = value;
  if (note.chunk == 0) pending.header = header;
  if (--pending.missing > 0) return std::nullopt;

  Whole whole{std::move(pending.header), "", pending.first_offset};
  whole.body.reserve(pending.chunks.size() * kChunkBytes);
  for (const std::string& chunk : pending.chunks) whole.body += chunk;
  pending_.erase(note.id);
  return whole;
}

int64_t Assembler::FirstPending(int64_t otherwise) const {
  int64_t first = otherwise;
  for (const auto& [id, pending] : pending_) first = std::min(first, pending.first_offset);
  return first;
}

}  // namespace sda::cluster
