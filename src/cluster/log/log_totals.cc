#include "cluster/log/log_totals.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cluster/log/note_json.h"
#include "sda/errors.h"

namespace sda::cluster {

using nlohmann::json;

namespace {

// Milliseconds since 1970; -1 where a broker does not know them.
int64_t TimeField(const json& object, const char* name) {
  const json& value = Field(object, name);
  return value.is_number_integer() && value == -1 ? -1 : OffsetField(object, name);
}

json ToList(const std::vector<SetAside>& messages) {
  json list = json::array();
  for (const SetAside& message : messages) {
    list.push_back({{"topic", message.topic},
                    {"partition", message.partition},
                    {"offset", message.offset},
                    {"reason", message.reason}});
  }
  return list;
}

// It is shown on terminals.
bool IsPlain(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

std::vector<SetAside> FromList(const json& list) {
  if (!list.is_array() || list.size() > SetAsides::kNamed) {
    throw InputError("has totals whose messages set aside are not a short list");
  }
  std::vector<SetAside> messages;
  for (const json& message : list) {
    if (!message.is_object()) throw InputError("has totals with a message that is not an object");
    messages.push_back({.topic = TextField(message, "topic"),
                        .partition = PartitionField(message, "partition"),
                        .offset = OffsetField(message, "offset"),
                        .reason = TextField(message, "reason")});
    for (const std::string& text : {messages.back().topic, messages.back().reason}) {
      if (text.size() > kMostReasonBytes || !IsPlain(text)) {
        throw InputError("has totals with a reason that no program gave");
      }
    }
  }
  return messages;
}

}  // namespace

void LogTotals::Add(const DeltaNote& note, uint64_t packed_bytes, int64_t milliseconds) {
  staleness_last = StalenessOf(deltas, note.deltas_in_prior);
  staleness_max = std::max(staleness_max, staleness_last);
  staleness_sum += staleness_last;
  ++deltas;
  documents += note.documents;
  tokens += note.tokens;
  skipped += note.skipped;
  bad += note.bad;
  bytes += packed_bytes;
  constexpr double kKept = 0.95;  // so that the last twenty deltas or so decide
  score_sum = kKept * score_sum + note.score_sum;
  score_tokens = kKept * score_tokens + static_cast<double>(note.score_tokens);
  for (const auto& [partition, range] : note.offsets) {
    offsets[partition] = std::max(offsets[partition], range.to);
  }
  if (first_milliseconds == 0) first_milliseconds = milliseconds;
  last_milliseconds = std::max(last_milliseconds, milliseconds);
}

std::string LogTotals::ToJson() const {
  return json{{"deltas", deltas},
              {"documents", documents},
              {"tokens", tokens},
              {"skipped", skipped},
              {"bad", bad},
              {"bytes", bytes},
              {"staleness_last", staleness_last},
              {"staleness_max", staleness_max},
              {"staleness_sum", staleness_sum},
              {"score_sum", score_sum},
              {"score_tokens", score_tokens},
              {"first_milliseconds", first_milliseconds},
              {"last_milliseconds", last_milliseconds},
              {"offsets", offsets},
              {"set_aside", set_aside.count},
              {"last_set_aside", ToList(set_aside.last)}}
      .dump();
}

LogTotals LogTotals::FromJson(std::string_view text) {
  const json j = ParseObject(text, "totals");
  return {.deltas = CountField(j, "deltas"),
          .documents = CountField(j, "documents"),
          .tokens = CountField(j, "tokens"),
          .skipped = CountField(j, "skipped"),
          .bad = CountField(j, "bad"),
          .bytes = CountField(j, "bytes"),
          .staleness_last = CountField(j, "staleness_last"),
          .staleness_max = CountField(j, "staleness_max"),
          .staleness_sum = CountField(j, "staleness_sum"),
          .score_sum = NumberField(j, "score_sum"),
          .score_tokens = NumberField(j, "score_tokens"),
          .first_milliseconds = TimeField(j, "first_milliseconds"),
          .last_milliseconds = TimeField(j, "last_milliseconds"),
          .offsets = OffsetsField(j, "offsets"),
          .set_aside = {CountField(j, "set_aside"), FromList(Field(j, "last_set_aside"))}};
}

}  // namespace sda::cluster
