#include "commands/topic_report.h"

#include <fmt/format.h>

#include "commands/ep_report.h"
#include "ui/command.h"

namespace sda {

nlohmann::ordered_json ToJson(const TopicReport& run, const FitFlags& flags) {
  auto report = nlohmann::ordered_json::parse(ToJson(run.summary, "documents"));
  report["tokens"] = run.tokens;
  if (flags.primitive == "vb") {
    report["outer_iterations"] = run.stats.outer_iterations;
    report["local_updates"] = run.stats.local_updates;
    report["unconverged_documents"] = run.stats.unconverged_documents;
    report["unconverged_minibatches"] = run.stats.unconverged_minibatches;
  }
  if (run.ep) report["ep"] = EpJson(*run.ep);
  report["documents_skipped"] = run.counts.skipped;
  report["unknown_tokens"] = run.counts.unknown_tokens;
  report["replaced_utf8"] = run.counts.replaced_utf8;
  report["vocabulary"] = run.vocabulary;
  if (!run.curve.empty()) {
    report["log_predictive_probability"] = run.curve.back().log_predictive;
  } else {
    report["log_predictive_probability"] = nullptr;
  }
  report["test_tokens"] = run.test_tokens;
  report["small_topics"] = run.small_topics;
  report["curve"] = nlohmann::ordered_json::array();
  for (const TopicScore& s : run.curve) {
    report["curve"].push_back({{"documents", s.documents},
                               {"seconds", s.seconds},
                               {"log_predictive_probability", s.log_predictive}});
  }
  if (!run.bounds.empty()) report["bound"] = run.bounds;
  if (run.saves.saves > 0) {
    report["saves"] = {{"count", run.saves.saves},
                       {"copy_seconds", run.saves.copy_seconds},
                       {"write_seconds", run.saves.write_seconds}};
  }
  report["peak_rss_bytes"] = PeakMemoryBytes();
  report["model"] = {{"topics", run.options.topics},
                     {"algorithm", flags.algorithm},
                     {"primitive", flags.primitive},
                     {"eta", run.options.eta},
                     {"seed", run.options.seed}};
  return report;
}

void Show(const TopicReport& run) {
  fmt::print("{} documents, {} tokens of {} words, {} topics, {:.1f} s\n",
             Grouped(run.summary.items), Grouped(run.tokens), Grouped(run.vocabulary),
             run.options.topics, run.summary.seconds);
  if (run.ep) fmt::print("{}", EpText(*run.ep, run.summary.minibatches));
  if (run.small_topics > 0) {
    fmt::print("{} of the topics have less than 0.1% of the tokens\n", run.small_topics);
  }
  if (run.counts.skipped > 0) {
    fmt::print("{} documents without a known word were skipped\n", Grouped(run.counts.skipped));
  }
  if (run.counts.replaced_utf8 > 0) {
    fmt::print("{} invalid UTF-8 sequences were replaced\n", Grouped(run.counts.replaced_utf8));
  }
  if (!run.curve.empty()) {
    fmt::print("held-out log predictive probability {:.4f} per token, on {} tokens\n",
               run.curve.back().log_predictive, Grouped(run.test_tokens));
  }
}

}  // namespace sda
