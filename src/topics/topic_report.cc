#include <nlohmann/json.hpp>

#include "sda/program.h"
#include "sda/topic_fit.h"
#include "topics/coherence_json.h"
#include "topics/grown_words_json.h"
#include "topics/stats_json.h"
#include "topics/topic_stability_json.h"

namespace sda {

using nlohmann::ordered_json;

std::string TopicReport::ToJson() const {
  auto report = ordered_json::parse(sda::ToJson(summary, "documents"));
  report["tokens"] = summary.counts.tokens;
  if (options.primitive == "vb") {
    report["outer_iterations"] = stats.outer_iterations;
    report["local_updates"] = stats.local_updates;
    report["unconverged_documents"] = stats.unconverged_documents;
    report["unconverged_minibatches"] = stats.unconverged_minibatches;
  }
  if (ep) report["ep"] = EpStatsToJson(*ep);
  report["documents_skipped"] = counts.skipped;
  report["unknown_tokens"] = counts.unknown_tokens;
  const uint64_t all = counts.unknown_tokens + counts.tokens;
  report["unknown_share"] =
      all == 0 ? 0.0 : static_cast<double>(counts.unknown_tokens) / static_cast<double>(all);
  report["replaced_utf8"] = counts.replaced_utf8;
  report["vocabulary"] = vocabulary;
  if (words) report["words"] = AccountsToJson(*words);
  report["log_predictive_probability"] =
      curve.empty() ? ordered_json() : ordered_json(curve.back().log_predictive);
  if (!curve.empty()) {
    const double score = curve.back().log_predictive;
    report["log_predictive_interval"] = {score - score_error, score + score_error};
  }
  report["test_tokens"] = test_tokens;
  if (search) report["topic_search"] = ordered_json::parse(search->ToJson());
  if (coherence) report["coherence"] = CoherenceToJson(*coherence);
  if (forgetting) report["forgetting"] = ordered_json::parse(forgetting->ToJson());
  if (stability) report["stability"] = StabilityToJson(*stability);
  if (over_time) {
    report["over_time"] = {{"unit", over_time->unit},
                           {"bucket", over_time->bucket},
                           {"buckets", over_time->buckets},
                           {"late_documents", over_time->late_documents},
                           {"undated_documents", over_time->undated_documents},
                           {"cut_share", over_time->cut_share}};
  }
  report["small_topics"] = small_topics;
  report["curve"] = ordered_json::array();
  for (const TopicScore& s : curve) {
    report["curve"].push_back({{"documents", s.documents},
                               {"seconds", s.seconds},
                               {"log_predictive_probability", s.log_predictive}});
  }
  if (!bounds.empty()) report["bound"] = bounds;
  if (saves.saves > 0) {
    report["saves"] = {{"count", saves.saves},
                       {"copy_seconds", saves.copy_seconds},
                       {"write_seconds", saves.write_seconds}};
  }
  report["peak_rss_bytes"] = PeakMemoryBytes();
  report["model"] = {{"topics", options.topics},
                     {"algorithm", options.algorithm},
                     {"primitive", options.primitive},
                     {"eta", options.eta.value_or(0)},
                     {"seed", options.seed}};
  return report.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace sda
