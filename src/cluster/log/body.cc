#include "cluster/log/body.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "sda/errors.h"

namespace sda::cluster {
namespace {

constexpr int kCompression = 1;  // zstd's level: more takes longer and saves little

std::string Compress(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size =
      ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kCompression);
  if (ZSTD_isError(size) != 0) throw IoError("zstd cannot compress a message");
  out.resize(size);
  return out;
}

std::string Decompress(std::string_view bytes, uint64_t most_bytes) {
  const uint64_t size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    throw InputError("is not compressed by zstd");
  }
  if (size > most_bytes) throw InputError("is larger than it can be");
  std::string out(size, '\0');
  const size_t written = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(written) != 0 || written != size) {
    throw InputError("cannot be decompressed");
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
  if (bytes->size() < sizeof(value)) throw InputError("is truncated");
  std::memcpy(&value, bytes->data(), sizeof(value));
  bytes->remove_prefix(sizeof(value));
  return value;
}

std::string_view TakeBytes(uint64_t size, std::string_view* bytes) {
  if (size > bytes->size()) throw InputError("is truncated");
  const std::string_view taken = bytes->substr(0, size);
  bytes->remove_prefix(size);
  return taken;
}

// First the first bytes of all numbers, then the second bytes, and so on: similar bytes are
// adjacent, and compress better. By blocks that fit in the cache.
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
  if (count > bytes->size() / sizeof(T)) throw InputError("is truncated");
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
  if (count > bytes->size() / sizeof(uint64_t)) throw InputError("is truncated");
  std::vector<std::string> words(count);
  for (std::string& word : words) word = TakeBytes(Take(bytes), bytes);
  return words;
}

// The rows that `rows` has for the keys of `change`, in their order.
template <class T>
void PutRows(const KeyedRows& rows, const KeyedRows& change, std::string* out) {
  std::vector<T> numbers(change.rows() * rows.width());
  for (size_t r = 0; r < change.rows(); ++r) {
    const std::span<const double> row = rows.At(change.key(r));
    std::copy(row.begin(), row.end(), numbers.begin() + r * rows.width());
  }
  PutPlanes<T>(numbers, out);
}

template <class T>
KeyedRows TakeRows(uint64_t width, std::span<const uint64_t> keys, std::string_view* bytes) {
  if (width == 0 || keys.size() > bytes->size() / width) throw InputError("is truncated");
  const auto numbers = TakePlanes<T>(keys.size() * width, bytes);
  return KeyedRows(std::vector<double>(width))
      .Difference(
          keys,
          [&](size_t i, double* row) { std::copy_n(numbers.begin() + i * width, width, row); },
          nullptr);
}

// What is known of the variances of a change: nothing (which is also said by nothing more), that
// they are zero, or their rows, which follow.
constexpr uint64_t kUnknown = 0;
constexpr uint64_t kZero = 1;
constexpr uint64_t kRows = 2;

template <class T>
void PutNumbers(const KeyedRows& change, std::string* out) {
  PutRows<T>(change, change, out);
  const KeyedRows* const variances = change.variances().rows();
  Put<uint64_t>(variances != nullptr ? kRows : change.variances().known() ? kZero : kUnknown, out);
  if (variances != nullptr) PutRows<T>(*variances, change, out);
}

template <class T>
KeyedRows TakeNumbers(uint64_t width, std::span<const uint64_t> keys, std::string_view* bytes) {
  KeyedRows change = TakeRows<T>(width, keys, bytes);
  if (bytes->empty()) return change;  // of a version that had no variances
  const uint64_t variances = Take(bytes);
  if (variances > kRows) throw InputError("has variances of an unknown kind");
  if (variances == kZero) change.SetVariances(RowVariances());
  if (variances == kRows) change.SetVariances(RowVariances(TakeRows<T>(width, keys, bytes)));
  return change;
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
    PutNumbers<float>(change, &out);
  } else {
    PutNumbers<double>(change, &out);
  }
  return Compress(out);
}

DeltaBody UnpackDelta(std::string_view bytes, size_t width, uint64_t most_bytes) {
  const std::string unpacked = Decompress(bytes, most_bytes);
  std::string_view rest = unpacked;
  DeltaBody delta;
  delta.vocabulary = TakeWords(&rest);
  const uint64_t bytes_per_number = Take(&rest);
  if (Take(&rest) != width) throw InputError("does not have the job's number of topics");
  std::vector<uint64_t> keys = TakePlanes<uint64_t>(Take(&rest), &rest);
  for (size_t r = 1; r < keys.size(); ++r) keys[r] += keys[r - 1];
  std::vector<uint64_t> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw InputError("repeats a key");
  }
  if (bytes_per_number == sizeof(float)) {
    delta.change = TakeNumbers<float>(width, keys, &rest);
  } else if (bytes_per_number == sizeof(double)) {
    delta.change = TakeNumbers<double>(width, keys, &rest);
  } else {
    throw InputError("has numbers of an unknown size");
  }
  if (!rest.empty()) throw InputError("has extra bytes at its end");
  return delta;
}

std::string PackSnapshot(const KeyedRows& posterior, const std::vector<std::string>& vocabulary) {
  std::string out;
  PutWords(vocabulary, &out);
  posterior.SerializeTo([&out](std::string_view bytes) { out.append(bytes); });
  return Compress(out);
}

SnapshotBody UnpackSnapshot(std::string_view bytes, size_t width, uint64_t most_bytes) {
  const std::string unpacked = Decompress(bytes, most_bytes);
  std::string_view rest = unpacked;
  SnapshotBody snapshot;
  snapshot.vocabulary = TakeWords(&rest);
  snapshot.posterior = KeyedRows::Deserialize(rest);
  if (snapshot.posterior.width() != width) {
    throw InputError("does not have the job's number of topics");
  }
  return snapshot;
}

}  // namespace sda::cluster
