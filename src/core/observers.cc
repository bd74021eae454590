#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/parse_json.h"
#include "base/terminal_line.h"
#include "base/text.h"
#include "sda/observer.h"

namespace sda {
namespace {

std::string Elapsed(double seconds) {
  const auto whole = static_cast<uint64_t>(seconds);
  if (whole < 60) return fmt::format("{:.1f} s", seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

class ProgressLine {
 public:
  ProgressLine(std::FILE* out, std::string items_name,
               std::function<std::string(const Summary&)> details)
      : line_(out), items_name_(std::move(items_name)), details_(std::move(details)) {}

  void operator()(const Summary& summary) {
    const bool last = summary.finished && line_.shown();
    if (last || (!summary.finished && line_.IsDue(summary.seconds))) {
      line_.Show(summary.seconds, Text(summary));
    }
    if (last) line_.End();
  }

 private:
  std::string Text(const Summary& s) const {
    // One of "documents" is a document; how one of other items is called is not known.
    const bool one =
        s.counts.items == 1 && items_name_.ends_with('s') && !items_name_.ends_with("es");
    const std::string name = one ? items_name_.substr(0, items_name_.size() - 1) : items_name_;
    std::string line =
        fmt::format("{} {}  {}/s  {}", Grouped(s.counts.items), name,
                    Grouped(static_cast<uint64_t>(s.items_per_second())), Elapsed(s.seconds));
    if (s.staleness_max > 0) {
      line += fmt::format("  staleness {:.1f} mean, {} max", s.staleness_mean(), s.staleness_max);
    }
    const std::string details = details_ ? details_(s) : "";
    if (!details.empty()) line += "  " + details;
    if (s.finished) line += s.stopped ? "  stopped" : "  done";
    return line;
  }

  TerminalLine line_;
  std::string items_name_;
  std::function<std::string(const Summary&)> details_;
};

}  // namespace

Summary& Summary::operator+=(const Summary& later) {
  minibatches += later.minibatches;
  counts += later.counts;
  duplicates += later.duplicates;
  last_minibatch = later.minibatches > 0 ? later.last_minibatch : last_minibatch;
  seconds += later.seconds;
  computing_seconds += later.computing_seconds;
  prediction.log_sum += later.prediction.log_sum;
  prediction.tested += later.prediction.tested;
  last_prediction = later.last_prediction;
  staleness_last = later.staleness_last;
  staleness_max = std::max(staleness_max, later.staleness_max);
  staleness_sum += later.staleness_sum;
  whole_round = later.whole_round;
  stopped = later.stopped;
  finished = later.finished;
  return *this;
}

Observer Observers(Observer first, Observer second) {
  return [first = std::move(first), second = std::move(second)](const Summary& summary) {
    if (first) first(summary);
    if (second) second(summary);
  };
}

Observer ShowProgress(std::FILE* out, std::string items_name,
                      std::function<std::string(const Summary&)> details) {
  auto line = std::make_shared<ProgressLine>(out, std::move(items_name), std::move(details));
  return [line](const Summary& summary) { (*line)(summary); };
}

std::string ToJson(const Summary& s, const std::string& items_name) {
  return nlohmann::ordered_json{{items_name, s.counts.items},
                                {"minibatches", s.minibatches},
                                {"duplicates", s.duplicates},
                                {"seconds", s.seconds},
                                {items_name + "_per_second", s.items_per_second()},
                                {"staleness_mean", s.staleness_mean()},
                                {"staleness_max", s.staleness_max},
                                {"stopped", s.stopped}}
      .dump(2);
}

std::string SerializeSummary(const Summary& s) {
  return nlohmann::ordered_json{{"minibatches", s.minibatches},
                                {"items", s.counts.items},
                                {"tokens", s.counts.tokens},
                                {"skipped", s.counts.skipped},
                                {"bad", s.counts.bad},
                                {"minibatches_before", s.minibatches_before},
                                {"items_before", s.items_before},
                                {"duplicates", s.duplicates},
                                {"last_minibatch", s.last_minibatch},
                                {"seconds", s.seconds},
                                {"computing_seconds", s.computing_seconds},
                                {"log_predictive_sum", s.prediction.log_sum},
                                {"tested", s.prediction.tested},
                                {"staleness_last", s.staleness_last},
                                {"staleness_max", s.staleness_max},
                                {"staleness_sum", s.staleness_sum}}
      .dump();
}

Summary DeserializeSummary(const std::string& text) {
  try {
    const auto json = ParseJson(text);
    Summary s;
    s.minibatches = json.at("minibatches");
    s.counts = {.items = json.at("items"),
                .tokens = json.at("tokens"),
                .skipped = json.at("skipped"),
                .bad = json.at("bad")};
    s.minibatches_before = json.at("minibatches_before");
    s.items_before = json.at("items_before");
    s.duplicates = json.at("duplicates");
    s.last_minibatch = json.at("last_minibatch");
    s.seconds = json.at("seconds");
    s.computing_seconds = json.at("computing_seconds");
    s.prediction = {json.at("log_predictive_sum"), json.at("tested")};
    s.staleness_last = json.at("staleness_last");
    s.staleness_max = json.at("staleness_max");
    s.staleness_sum = json.at("staleness_sum");
    return s;
  } catch (const nlohmann::json::exception& e) {
    throw InputError(std::string("not the summary of a run: ") + e.what());
  }
}

}  // namespace sda
