#include "commands/ep_report.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace sda {
namespace {

constexpr std::pair<const char*, uint64_t LdaEpStats::*> kReported[] = {
    {"messages", &LdaEpStats::messages},
    {"sweeps", &LdaEpStats::sweeps},
    {"updates", &LdaEpStats::updates},
    {"skipped_updates", &LdaEpStats::skipped_updates},
    {"unconverged_minibatches", &LdaEpStats::unconverged_minibatches},
    {"raised_parameters", &LdaEpStats::raised_parameters}};

}  // namespace

nlohmann::ordered_json EpJson(const LdaEpStats& stats) {
  nlohmann::ordered_json json;
  for (const auto& [name, field] : kReported) json[name] = stats.*field;
  return json;
}

LdaEpStats EpStatsOf(const nlohmann::json& json) {
  LdaEpStats stats;
  for (const auto& [name, field] : kReported) stats.*field = json.at(name).get<uint64_t>();
  return stats;
}

LdaEpStats Together(const LdaEpStats& a, const LdaEpStats& b) {
  LdaEpStats sum = a;
  for (const auto& [name, field] : kReported) sum.*field += b.*field;
  return sum;
}

std::string EpText(const LdaEpStats& stats, uint64_t minibatches) {
  std::string text =
      fmt::format("{} of {} updates of messages were skipped, their cavity not being positive\n",
                  Grouped(stats.skipped_updates), Grouped(stats.updates));
  if (stats.unconverged_minibatches > 0) {
    text += fmt::format("{} of {} minibatches did not converge\n",
                        Grouped(stats.unconverged_minibatches), Grouped(minibatches));
  }
  if (stats.raised_parameters > 0) {
    text += fmt::format("{} parameters were raised, since more was taken away than there was\n",
                        Grouped(stats.raised_parameters));
  }
  return text;
}

}  // namespace sda
