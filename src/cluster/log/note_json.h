#ifndef SDA_CLUSTER_LOG_NOTE_JSON_H_
#define SDA_CLUSTER_LOG_NOTE_JSON_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cluster/log/note.h"
#include "sda/errors.h"

// Fields of JSON from other processes. All throw InputError: "has <what> that ...".
namespace sda::cluster {

// The version of what a job writes to its topics: the settings, deltas, snapshots and notes of
// feeds all carry it. It grows when a program that knows only the one before would misread them.
inline constexpr uint64_t kLogVersion = 4;

// A JSON object. `what` names it in messages, such as "a note".
nlohmann::json ParseObject(std::string_view text, const char* what);
// Written by a program that is newer than this one, or by nobody who should.
class NewerVersion : public InputError {
 public:
  using InputError::InputError;
};

// Throws if the object was written to another version than this program reads: NewerVersion if it
// is a higher one.
void ExpectKnownVersion(const nlohmann::json& object);

// Fields of an object, of exactly this kind: no rounding, no wrapping.
std::string TextField(const nlohmann::json& object, const char* name);
uint64_t CountField(const nlohmann::json& object, const char* name);
int64_t OffsetField(const nlohmann::json& object, const char* name);  // not negative
int32_t PartitionField(const nlohmann::json& object, const char* name);
double NumberField(const nlohmann::json& object, const char* name);  // finite
bool BoolField(const nlohmann::json& object, const char* name);
const nlohmann::json& Field(const nlohmann::json& object, const char* name);

// By partition, as nlohmann::json writes such a map: a list of pairs.
std::map<int32_t, int64_t> OffsetsField(const nlohmann::json& object, const char* name);
// By partition: a list of [partition, from, to].
std::map<int32_t, OffsetRange> RangesField(const nlohmann::json& object, const char* name);

// Bytes that are not UTF-8 are replaced.
std::string DumpJson(const nlohmann::json& value);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_NOTE_JSON_H_
