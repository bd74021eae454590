#ifndef SDA_TOPICS_STATS_JSON_H_
#define SDA_TOPICS_STATS_JSON_H_

#include <nlohmann/json.hpp>

#include "sda/lda_ep.h"
#include "sda/lda_vb.h"

namespace sda {

// What primitives count, in reports and checkpoints, and the sum of two runs.
nlohmann::ordered_json EpStatsToJson(const EpStats& stats);
EpStats EpStatsFromJson(const nlohmann::json& json);
EpStats Together(const EpStats& a, const EpStats& b);

nlohmann::json LdaStatsToJson(const LdaStats& stats);
LdaStats LdaStatsFromJson(const nlohmann::json& json);
LdaStats Together(const LdaStats& a, const LdaStats& b);

}  // namespace sda

#endif  // SDA_TOPICS_STATS_JSON_H_
