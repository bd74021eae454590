#include "cluster/log/note_json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/parse_json.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

using nlohmann::json;

[[noreturn]] void Fail(const char* name, const char* expected) {
  throw InputError(fmt::format("has a field {} that is not {}", name, expected));
}

// The number of a JSON integer, if it is not negative.
bool IsCount(const json& value) { return value.is_number_unsigned(); }

bool IsOffset(const json& value) {
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return IsCount(value) && value.get<uint64_t>() <= kMost;
}

bool IsPartition(const json& value) {
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int32_t>::max());
  return IsCount(value) && value.get<uint64_t>() <= kMost;
}

}  // namespace

json ParseObject(std::string_view text, const char* what) {
  auto parsed = ParseJson(text, /*allow_exceptions=*/false);
  if (!parsed.is_object()) throw InputError(fmt::format("has {} that is not a JSON object", what));
  return parsed;
}

void ExpectKnownVersion(const json& object) {
  const auto found = object.find("version");
  if (found == object.end()) {
    throw InputError(fmt::format("has no version, expected version {}", kLogVersion));
  }
  if (!IsCount(*found)) Fail("version", "a number");
  const auto version = found->get<uint64_t>();
  if (version == kLogVersion) return;
  const std::string what =
      fmt::format("has version {}, this sda reads version {}: ", version, kLogVersion);
  if (version > kLogVersion) {
    throw NewerVersion(what + "a newer sda works on the job; install that one here, too");
  }
  throw InputError(what +
                   "an older sda wrote it; use that one, or delete the job and create it again");
}

const json& Field(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw InputError(fmt::format("has no field {}", name));
  return *found;
}

std::string TextField(const json& object, const char* name) {
  const json& value = Field(object, name);
  if (!value.is_string()) Fail(name, "a text");
  return value.get<std::string>();
}

uint64_t CountField(const json& object, const char* name) {
  const json& value = Field(object, name);
  if (!IsCount(value)) Fail(name, "a number of things");
  return value.get<uint64_t>();
}

int64_t OffsetField(const json& object, const char* name) {
  const json& value = Field(object, name);
  if (!IsOffset(value)) Fail(name, "an offset");
  return value.get<int64_t>();
}

int32_t PartitionField(const json& object, const char* name) {
  const json& value = Field(object, name);
  if (!IsPartition(value)) Fail(name, "a partition");
  return value.get<int32_t>();
}

double NumberField(const json& object, const char* name) {
  const json& value = Field(object, name);
  if (!value.is_number() || !std::isfinite(value.get<double>())) Fail(name, "a finite number");
  return value.get<double>();
}

bool BoolField(const json& object, const char* name) {
  const json& value = Field(object, name);
  if (!value.is_boolean()) Fail(name, "true or false");
  return value.get<bool>();
}

std::map<int32_t, int64_t> OffsetsField(const json& object, const char* name) {
  constexpr char kExpected[] = "a list of partitions and offsets";
  const json& list = Field(object, name);
  if (!list.is_array()) Fail(name, kExpected);
  std::map<int32_t, int64_t> offsets;
  for (const json& pair : list) {
    if (!pair.is_array() || pair.size() != 2 || !IsPartition(pair[0]) || !IsOffset(pair[1]) ||
        !offsets.emplace(pair[0].get<int32_t>(), pair[1].get<int64_t>()).second) {
      Fail(name, kExpected);
    }
  }
  return offsets;
}

std::map<int32_t, OffsetRange> RangesField(const json& object, const char* name) {
  constexpr char kExpected[] = "a list of partitions and ranges of offsets";
  const json& list = Field(object, name);
  if (!list.is_array()) Fail(name, kExpected);
  std::map<int32_t, OffsetRange> ranges;
  for (const json& of : list) {
    if (!of.is_array() || of.size() != 3 || !IsPartition(of[0]) || !IsOffset(of[1]) ||
        !IsOffset(of[2]) ||
        !ranges
             .emplace(of[0].get<int32_t>(), OffsetRange{of[1].get<int64_t>(), of[2].get<int64_t>()})
             .second) {
      Fail(name, kExpected);
    }
  }
  return ranges;
}

std::string DumpJson(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace sda::cluster
