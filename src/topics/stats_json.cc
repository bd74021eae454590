#include "topics/stats_json.h"

#include <utility>

namespace sda {
namespace {

constexpr std::pair<const char*, uint64_t EpStats::*> kEp[] = {
    {"messages", &EpStats::messages},
    {"sweeps", &EpStats::sweeps},
    {"updates", &EpStats::updates},
    {"skipped_updates", &EpStats::skipped_updates},
    {"unconverged_minibatches", &EpStats::unconverged_minibatches},
    {"raised_parameters", &EpStats::raised_parameters}};

constexpr std::pair<const char*, uint64_t LdaStats::*> kLda[] = {
    {"outer_iterations", &LdaStats::outer_iterations},
    {"local_updates", &LdaStats::local_updates},
    {"unconverged_documents", &LdaStats::unconverged_documents},
    {"unconverged_minibatches", &LdaStats::unconverged_minibatches}};

template <class Json, class Stats, class Fields>
Json ToJson(const Stats& stats, const Fields& fields) {
  Json json;
  for (const auto& [name, field] : fields) json[name] = stats.*field;
  return json;
}

template <class Stats, class Fields>
Stats FromJson(const nlohmann::json& json, const Fields& fields) {
  Stats stats;
  for (const auto& [name, field] : fields) stats.*field = json.at(name).template get<uint64_t>();
  return stats;
}

template <class Stats, class Fields>
Stats Sum(Stats a, const Stats& b, const Fields& fields) {
  for (const auto& [name, field] : fields) a.*field += b.*field;
  return a;
}

}  // namespace

nlohmann::ordered_json EpStatsToJson(const EpStats& stats) {
  return ToJson<nlohmann::ordered_json>(stats, kEp);
}
EpStats EpStatsFromJson(const nlohmann::json& json) { return FromJson<EpStats>(json, kEp); }
EpStats Together(const EpStats& a, const EpStats& b) { return Sum(a, b, kEp); }

nlohmann::json LdaStatsToJson(const LdaStats& stats) { return ToJson<nlohmann::json>(stats, kLda); }
LdaStats LdaStatsFromJson(const nlohmann::json& json) { return FromJson<LdaStats>(json, kLda); }
LdaStats Together(const LdaStats& a, const LdaStats& b) { return Sum(a, b, kLda); }

}  // namespace sda
