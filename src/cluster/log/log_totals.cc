#include "cluster/log/log_totals.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace sda::cluster {

using nlohmann::json;

void LogTotals::Add(const DeltaNote& note, uint64_t packed_bytes, int64_t milliseconds) {
  staleness_last = deltas - std::min(deltas, note.deltas_in_prior);
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
  for (const auto& [partition, offset] : note.offsets) {
    offsets[partition] = std::max(offsets[partition], offset);
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
              {"offsets", offsets}}
      .dump();
}

LogTotals LogTotals::FromJson(std::string_view text) {
  try {
    const json j = json::parse(text);
    return {.deltas = j.at("deltas"),
            .documents = j.at("documents"),
            .tokens = j.at("tokens"),
            .skipped = j.at("skipped"),
            .bad = j.at("bad"),
            .bytes = j.at("bytes"),
            .staleness_last = j.at("staleness_last"),
            .staleness_max = j.at("staleness_max"),
            .staleness_sum = j.at("staleness_sum"),
            .score_sum = j.at("score_sum"),
            .score_tokens = j.at("score_tokens"),
            .first_milliseconds = j.at("first_milliseconds"),
            .last_milliseconds = j.at("last_milliseconds"),
            .offsets = j.at("offsets").get<std::map<int32_t, int64_t>>()};
  } catch (const json::exception& e) {
    throw std::invalid_argument(std::string("has totals that cannot be read: ") + e.what());
  }
}

}  // namespace sda::cluster
