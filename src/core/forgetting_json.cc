// What forgetting was learnt, as JSON.

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/parse_json.h"
#include "sda/errors.h"
#include "sda/forgetting.h"

namespace sda {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// JSON has no infinity.
ordered_json HalfLifeToJson(double half_life) {
  return std::isfinite(half_life) ? ordered_json(half_life) : ordered_json();
}

double HalfLifeFromJson(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

ordered_json ToJsonObject(const ForgettingHistory& history) {
  ordered_json points = ordered_json::array();
  for (const auto& point : history.points) {
    points.push_back({{"items", point.items},
                      {"kept", point.kept},
                      {"half_life", HalfLifeToJson(point.half_life)},
                      {"effective_items", point.effective}});
  }
  ordered_json changes = ordered_json::array();
  for (const auto& change : history.change_points) {
    changes.push_back({{"items", change.items}, {"kept", change.kept}});
  }
  return {{"over_time", std::move(points)}, {"change_points", std::move(changes)}};
}

ForgettingHistory HistoryFromJson(const json& in) {
  ForgettingHistory history;
  for (const json& point : in.at("over_time")) {
    history.points.push_back({point.at("items").get<uint64_t>(), point.at("kept").get<double>(),
                              HalfLifeFromJson(point.at("half_life")),
                              point.at("effective_items").get<double>()});
  }
  for (const json& change : in.at("change_points")) {
    history.change_points.push_back(
        {change.at("items").get<uint64_t>(), change.at("kept").get<double>()});
  }
  return history;
}

}  // namespace

std::string ForgettingHistory::ToJson() const {
  ordered_json out = {{"half_life", nullptr}, {"effective_items", 0}};
  if (!points.empty()) {
    out["half_life"] = HalfLifeToJson(points.back().half_life);
    out["effective_items"] = points.back().effective;
  }
  out.update(ToJsonObject(*this));
  return out.dump();
}

std::string ForgettingRates::Serialize() const {
  return json{{"items_per_round", items_per_round_},
              {"log_odds", log_odds_},
              {"effective", effective_},
              {"items", items_},
              {"round_begin", round_begin_},
              {"kept", kept_},
              {"evidence", evidence_},
              {"weights_before", weights_before_},
              {"rounds_together", rounds_together_},
              {"rounds_in_last", rounds_in_last_},
              {"history", ToJsonObject(history_)}}
      .dump();
}

ForgettingRates ForgettingRates::Deserialize(const std::string& text) {
  try {
    const json in = ParseJson(text);
    ForgettingRates rates(in.at("items_per_round").get<double>());
    auto read = [&](const char* key, std::vector<double>* numbers) {
      auto given = in.at(key).get<std::vector<double>>();
      if (given.size() != rates.size()) throw InputError("other rates than this version has");
      for (const double x : given) {
        if (!std::isfinite(x)) throw InputError(std::string(key) + " is not finite");
      }
      *numbers = std::move(given);
    };
    read("log_odds", &rates.log_odds_);
    read("effective", &rates.effective_);
    read("evidence", &rates.evidence_);
    read("weights_before", &rates.weights_before_);
    rates.items_ = in.at("items");
    rates.round_begin_ = in.at("round_begin");
    rates.kept_ = in.at("kept");
    rates.rounds_together_ = in.at("rounds_together");
    rates.rounds_in_last_ = in.at("rounds_in_last");
    rates.history_ = HistoryFromJson(in.at("history"));
    const bool sound = rates.round_begin_ <= rates.items_ && rates.rounds_together_ >= 1 &&
                       rates.rounds_in_last_ <= rates.rounds_together_ &&
                       (rates.rounds_in_last_ > 0) == !rates.history_.points.empty();
    if (!sound) throw InputError("its numbers contradict each other");
    rates.UpdateWeights();
    return rates;
  } catch (const std::exception& e) {
    throw InputError(std::string("the state of learnt forgetting is bad: ") + e.what());
  }
}

}  // namespace sda
