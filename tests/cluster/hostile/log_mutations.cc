#include "tests/cluster/hostile/log_mutations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/log/body.h"
#include "cluster/log/chunks.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

using nlohmann::json;

size_t Below(size_t n, Random* random) {
  return std::uniform_int_distribution<size_t>(0, n - 1)(*random);
}

json Extreme(Random* random) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<json> values = {0,
                                    1,
                                    2,
                                    -1,
                                    -0.5,
                                    0.5,
                                    1e305,
                                    -1e305,
                                    1e-320,
                                    kInfinity,  // null in JSON
                                    std::numeric_limits<int64_t>::max(),
                                    std::numeric_limits<int64_t>::min(),
                                    std::numeric_limits<uint64_t>::max(),
                                    uint64_t{1} << 63,
                                    uint64_t{1} << 53,
                                    uint64_t{1} << 32,
                                    1'000'000,
                                    "",
                                    "NaN",
                                    std::string(5000, 'x'),
                                    nullptr,
                                    true,
                                    json::array(),
                                    json::array({json::array({0, 0, 0})}),
                                    json::array({json::array({7, 0, 10})}),
                                    json::object()};
  return values[Below(values.size(), random)];
}

double ExtremeNumber(Random* random) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {0,          -1,           -1e6,   1e305, -1e305,  kInfinity,
                                      -kInfinity, std::nan(""), 1e-320, 1e9,   0x1p-24, 0x1p53};
  return values[Below(values.size(), random)];
}

void MutateValue(json* value, Random* random) {
  const size_t inner = value->is_structured() ? value->size() : 0;
  if (inner == 0 || Below(4, random) == 0) {
    *value = Extreme(random);
    return;
  }
  auto member = value->begin();
  std::advance(member, Below(inner, random));
  if (value->is_object() && Below(8, random) == 0) {
    value->erase(member);
  } else {
    MutateValue(&*member, random);
  }
}

// A delta as only a program writes it, but with numbers that no worker has.
std::string MutateRows(const std::string& body, const RecordedLog& log, Random* random) {
  try {
    DeltaBody delta = UnpackDelta(body, log.rules.prior.width());
    size_t width = log.rules.prior.width();
    if (Below(6, random) == 0) width = 1 + Below(5, random);
    KeyedRows change{std::vector<double>(width)};
    const size_t changed = delta.change.rows() == 0 ? 0 : Below(delta.change.rows(), random);
    for (size_t r = 0; r < delta.change.rows(); ++r) {
      std::vector<double> row(delta.change.row(r).begin(), delta.change.row(r).end());
      row.resize(width);
      uint64_t key = delta.change.key(r);
      if (r == changed) {
        if (Below(2, random) == 0) row[Below(width, random)] = ExtremeNumber(random);
        if (Below(3, random) == 0) key = Below(2, random) == 0 ? 50'000 : ~uint64_t{0} - 1;
      }
      change.Set(key, row);
    }
    if (Below(4, random) == 0) delta.vocabulary.assign(Below(3, random), "word");
    return PackDelta(change, delta.vocabulary,
                     Below(2, random) == 0 ? Transport::kFloat : Transport::kDouble);
  } catch (const InputError&) {
    return body;  // a part of one, or of a snapshot
  }
}

// The first chunk of what never becomes whole.
Recorded StrayChunk(const RecordedLog& log, Random* random) {
  DeltaNote note{.job = log.job.id, .id = RandomId(), .worker = "x", .documents = 1, .tokens = 1};
  note.offsets = {{0, {0, 1}}};
  constexpr std::array<uint64_t, 4> kChunks = {2, 1000, 1'000'000, ~uint64_t{0}};
  const uint64_t chunks = kChunks[Below(kChunks.size(), random)];
  const size_t size = Below(4, random) == 0 ? kChunkBytes : Below(100, random);
  return {ToHeader(note, Below(3, random), chunks), std::string(size, 'x'), note.id, false};
}

}  // namespace

std::string MutateJson(const std::string& text, Random* random) {
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) return text;
  for (size_t times = 1 + Below(2, random); times > 0; --times) MutateValue(&value, random);
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string MutateBytes(std::string bytes, Random* random) {
  if (bytes.empty()) return "x";
  const size_t at = Below(bytes.size(), random);
  switch (Below(5, random)) {
    case 0:
      bytes.resize(at);
      break;
    case 1:
      bytes.insert(at, std::string(1 + Below(20, random), static_cast<char>((*random)())));
      break;
    case 2:
      bytes += bytes.substr(at);
      break;
    default:
      for (size_t flips = 1 + Below(3, random); flips > 0; --flips) {
        bytes[Below(bytes.size(), random)] ^= static_cast<char>(1 << Below(8, random));
      }
  }
  return bytes;
}

Recorded MutateMessage(const Recorded& message, const RecordedLog& log, Random* random) {
  Recorded mutated = message;
  mutated.real = false;
  switch (Below(8, random)) {
    case 0:
      mutated.header = MutateBytes(mutated.header, random);
      break;
    case 1:
      mutated.value = MutateBytes(mutated.value, random);
      break;
    case 2:
    case 3:
      mutated.value = MutateRows(mutated.value, log, random);
      break;
    case 4:
      (Below(2, random) == 0 ? mutated.header : mutated.value).clear();
      break;
    default:
      mutated.header = MutateJson(mutated.header, random);
  }
  if (Below(3, random) == 0) {  // as a delta of its own, not one that comes again
    const std::string id = RandomId();
    const size_t at = mutated.header.find(mutated.id);
    if (at != std::string::npos) mutated.header.replace(at, mutated.id.size(), id);
    mutated.id = id;
  }
  return mutated;
}

std::vector<Recorded> MutateLog(const std::vector<Recorded>& messages, const RecordedLog& log,
                                Random* random) {
  std::vector<Recorded> mutated = messages;
  for (size_t times = 1 + Below(3, random); times > 0; --times) {
    const size_t from = Below(mutated.size(), random);
    const auto to = mutated.begin() + static_cast<ptrdiff_t>(Below(mutated.size() + 1, random));
    switch (Below(8, random)) {
      case 0:
        mutated[from] = MutateMessage(mutated[from], log, random);
        break;
      case 1: {  // replayed
        Recorded again = mutated[from];
        again.real = false;
        mutated.insert(to, std::move(again));
        break;
      }
      case 2:
        std::swap(mutated[from], mutated[Below(mutated.size(), random)]);
        break;
      case 3:
      case 4:
        mutated.insert(to, StrayChunk(log, random));
        break;
      default:
        mutated.insert(to, MutateMessage(mutated[from], log, random));
    }
  }
  return mutated;
}

}  // namespace sda::cluster
