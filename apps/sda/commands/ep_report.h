#ifndef SDA_APPS_COMMANDS_EP_REPORT_H_
#define SDA_APPS_COMMANDS_EP_REPORT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "sda/lda_ep.h"

namespace sda {

// What EP did, as it stands in reports and checkpoints; and back.
nlohmann::ordered_json EpJson(const LdaEpStats& stats);
LdaEpStats EpStatsOf(const nlohmann::json& json);

// The same for people: a line each. Of so many minibatches.
std::string EpText(const LdaEpStats& stats, uint64_t minibatches);

// Of two parts of a run.
LdaEpStats Together(const LdaEpStats& a, const LdaEpStats& b);

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_EP_REPORT_H_
