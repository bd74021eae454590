#include "compare/compare_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace sda {

double Cell::Score() const {
  double sum = 0;
  for (const RunResult* run : runs) sum += run->score;
  return sum / static_cast<double>(runs.size());
}

double Cell::Seconds(double RunResult::*clock) const {
  double least = runs[0]->*clock;
  for (const RunResult* run : runs) least = std::min(least, run->*clock);
  return least;
}

double Cell::Low() const {
  double low = runs[0]->score;
  for (const RunResult* run : runs) low = std::min(low, run->score);
  return low;
}

double Cell::High() const {
  double high = runs[0]->score;
  for (const RunResult* run : runs) high = std::max(high, run->score);
  return high;
}

double Cell::Error() const {
  double sum = 0;
  for (const RunResult* run : runs) sum += run->score_error;
  return sum / static_cast<double>(runs.size());
}

std::string LabelOf(const PlannedRun& run) {
  const auto& all = Experiments();
  const auto experiment = std::find_if(all.begin(), all.end(),
                                       [&](const Experiment& e) { return e.id == run.experiment; });
  const std::string label = run.experiment + ": " + run.series;
  // The series of the table names its eta; that of SVI told another D, how many times D.
  const std::string x = experiment == all.end() ? "" : experiment->x;
  if (x.empty() || x == "eta" || x == "times_true_d") return label;
  return label + fmt::format(", {} {:g}", x, run.x);
}

bool Has(const Comparison& comparison, const Experiment& experiment) {
  return std::any_of(comparison.plan.begin(), comparison.plan.end(),
                     [&](const PlannedRun& run) { return run.experiment == experiment.id; });
}

std::vector<Cell> CellsOf(const Comparison& comparison, const std::string& experiment) {
  std::vector<Cell> cells;
  for (const PlannedRun& planned : comparison.plan) {
    if (planned.experiment != experiment) continue;
    const auto result = comparison.results.find(planned.settings.Name());
    if (result == comparison.results.end() || !result->second.error.empty()) continue;
    auto cell = std::find_if(cells.begin(), cells.end(), [&](const Cell& c) {
      return c.series == planned.series && c.x == planned.x;
    });
    if (cell == cells.end()) cell = cells.insert(cell, {planned.series, planned.x, {}});
    cell->runs.push_back(&result->second);
  }
  std::map<std::string, size_t> place;  // of a series, by its first cell
  for (const Cell& cell : cells) place.emplace(cell.series, place.size());
  std::stable_sort(cells.begin(), cells.end(), [&](const Cell& a, const Cell& b) {
    return std::make_pair(place[a.series], a.x) < std::make_pair(place[b.series], b.x);
  });
  return cells;
}

std::string ExperimentCsv(const Comparison& comparison, const Experiment& experiment) {
  const std::string x = experiment.x.empty() ? "" : experiment.x + ",";
  std::string out = "series," + x +
                    "seed,log_predictive_probability,wall_seconds,cpu_seconds,peak_rss_bytes,"
                    "documents,test_tokens,run\n";
  for (const PlannedRun& planned : comparison.plan) {
    if (planned.experiment != experiment.id) continue;
    const auto found = comparison.results.find(planned.settings.Name());
    if (found == comparison.results.end() || !found->second.error.empty()) continue;
    const RunResult& r = found->second;
    // The x of the table is eta, which the run reports even if it is the default.
    const double value = experiment.x == "eta" ? r.eta : planned.x;
    out += fmt::format("\"{}\",{}{},{},{},{},{},{},{},{}\n", planned.series,
                       x.empty() ? "" : fmt::format("{},", value), planned.settings.seed, r.score,
                       r.wall_seconds, r.cpu_seconds, r.peak_bytes, r.documents, r.test_tokens,
                       r.name);
  }
  return out;
}

std::string CurvesCsv(const Comparison& comparison) {
  std::string out = "run,documents,seconds,log_predictive_probability\n";
  for (const auto& [name, result] : comparison.results) {
    for (const RunResult::Point& p : result.curve) {
      out += fmt::format("{},{},{},{}\n", name, p.documents, p.seconds, p.score);
    }
  }
  return out;
}

namespace {

std::string FitCommand(const RunSettings& settings) {
  return "fit " + ShellCommand(settings.Arguments());
}

nlohmann::ordered_json CorpusJson(const CorpusCopy& corpus) {
  return {{"documents", corpus.documents}, {"tokens", corpus.tokens}, {"held_out", corpus.held_out},
          {"words", corpus.words},         {"read", corpus.read},     {"hash", corpus.hash}};
}

}  // namespace

nlohmann::ordered_json ResultsJson(const Comparison& comparison) {
  nlohmann::ordered_json out = {
      {"command", comparison.command},     {"version", SDA_VERSION},
      {"cores", comparison.options.cores}, {"topics", comparison.options.topics},
      {"seeds", comparison.options.seeds}, {"corpus", CorpusJson(comparison.corpus)}};
  if (comparison.part.documents > 0) out["part"] = CorpusJson(comparison.part);
  out["advice"] = Advice(comparison);
  out["findings"] = Findings(comparison);
  out["runs"] = nlohmann::ordered_json::array();
  for (const PlannedRun& planned : comparison.plan) {
    nlohmann::ordered_json run = {{"experiment", planned.experiment}, {"series", planned.series}};
    if (planned.x != 0) run["x"] = planned.x;
    run["run"] = planned.settings.Name();
    run["command"] = "sda " + FitCommand(planned.settings);
    run["seed"] = planned.settings.seed;
    const auto found = comparison.results.find(planned.settings.Name());
    if (found != comparison.results.end()) {
      const RunResult& r = found->second;
      if (!r.error.empty()) {
        run["error"] = r.error;
      } else {
        run["log_predictive_probability"] = r.score;
        run["log_predictive_interval"] = {r.score - r.score_error, r.score + r.score_error};
        run["test_tokens"] = r.test_tokens;
        run["documents"] = r.documents;
        run["eta"] = r.eta;
        run["wall_seconds"] = r.wall_seconds;
        run["cpu_seconds"] = r.cpu_seconds;
        run["peak_rss_bytes"] = r.peak_bytes;
        for (const auto& p : r.curve) {
          run["curve"].push_back({{"documents", p.documents},
                                  {"seconds", p.seconds},
                                  {"log_predictive_probability", p.score}});
        }
      }
    }
    out["runs"].push_back(run);
  }
  return out;
}

std::string CommandsScript(const Comparison& comparison) {
  std::string out =
      "#!/bin/sh\n# Every run of this comparison, by its exact command. Seeds are in the "
      "commands.\n"
      "# The whole, with reports, was made by:\n#   " +
      comparison.command +
      "\nset -e\ncase $0 in */*) CDPATH= cd -- \"${0%/*}/\" ;; esac\nsda=${SDA:-sda}\n";
  std::set<std::string> seen;
  for (const PlannedRun& planned : comparison.plan) {
    if (!seen.insert(planned.settings.Name()).second) continue;
    out += "\"$sda\" " + FitCommand(planned.settings) + " -o model.tmp\n";
  }
  return out + "rm -f model.tmp\n";
}

std::string ScoreText(double score) {
  const std::string digits = fmt::format("{:.3f}", score < 0 ? -score : score);
  return score < 0 && digits != "0.000" ? "\xe2\x88\x92" + digits : digits;  // a minus sign
}

}  // namespace sda
