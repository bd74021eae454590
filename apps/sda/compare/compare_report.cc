#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "compare/compare_results.h"
#include "compare/plot.h"
#include "ui/command.h"

namespace sda {
namespace {

constexpr const char* kScoreAxis = "log predictive probability per token (nats)";
constexpr double kLeastScores = 0.1;  // so that smaller differences look small

struct Figure {
  std::string file;
  std::string caption;
  Plot plot;
};

PlotPoint PointOf(double x, const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += value;
  return {x, sum / static_cast<double>(values.size()), *low, *high};
}

PlotLine& LineOf(Plot* plot, const std::string& label) {
  for (PlotLine& line : plot->lines) {
    if (line.label == label) return line;
  }
  return plot->lines.emplace_back(PlotLine{label, {}});
}

// A line for each series, with the cells' x.
Plot CellPlot(const Comparison& comparison, const Experiment& experiment,
              double RunResult::*number) {
  Plot plot{.title = experiment.title, .lines = {}};
  for (const Cell& cell : CellsOf(comparison, experiment.id)) {
    const double y = number == &RunResult::score ? cell.Score() : cell.Seconds(number);
    const bool whiskers = number == &RunResult::score;
    LineOf(&plot, cell.series)
        .points.push_back({cell.x, y, whiskers ? cell.Low() : y, whiskers ? cell.High() : y});
  }
  std::set<double> ticks;
  for (PlotLine& line : plot.lines) {
    std::sort(line.points.begin(), line.points.end(), [](auto& a, auto& b) { return a.x < b.x; });
    for (const PlotPoint& point : line.points) ticks.insert(point.x);
  }
  plot.x_ticks.assign(ticks.begin(), ticks.end());
  return plot;
}

// A line for each series: the score against the documents seen, the mean over the seeds.
Plot CurvePlot(const Comparison& comparison, const Experiment& experiment) {
  Plot plot{.title = experiment.title,
            .x_label = "documents seen",
            .y_label = kScoreAxis,
            .log_x = true,
            .least_y_range = kLeastScores,
            .lines = {}};
  for (const Cell& cell : CellsOf(comparison, experiment.id)) {
    std::map<uint64_t, std::vector<double>> scores;
    for (const RunResult* run : cell.runs) {
      std::map<uint64_t, double> of_run;  // the last minibatch may be scored twice
      for (const auto& point : run->curve) of_run[point.documents] = point.score;
      for (const auto& [documents, score] : of_run) scores[documents].push_back(score);
    }
    for (const auto& [documents, values] : scores) {
      LineOf(&plot, cell.series).points.push_back(PointOf(static_cast<double>(documents), values));
    }
  }
  return plot;
}

Figure CellFigure(const Comparison& comparison, const Experiment& experiment, const char* suffix,
                  const char* caption, double RunResult::*number, const char* x_label,
                  const char* y_label) {
  Figure figure{experiment.id + suffix + ".svg", caption, CellPlot(comparison, experiment, number)};
  figure.plot.x_label = x_label;
  figure.plot.y_label = y_label;
  figure.plot.log_x = experiment.id != "svi_steps";
  figure.plot.log_y = number != &RunResult::score;
  if (!figure.plot.log_y) figure.plot.least_y_range = kLeastScores;
  return figure;
}

std::vector<Figure> FiguresOf(const Comparison& comparison, const Experiment& experiment) {
  if (experiment.id == "workers") {
    const char* x = "workers";
    return {
        CellFigure(comparison, experiment, "_score",
                   "Score against the number of workers. Whiskers reach from the lowest seed to "
                   "the highest.",
                   &RunResult::score, x, kScoreAxis),
        CellFigure(comparison, experiment, "_time",
                   "Wall time of the whole run, the fastest of the seeds, against the number "
                   "of workers, each with a thread of its own, up to the number of cores.",
                   &RunResult::wall_seconds, x, "wall time (seconds)")};
  }
  if (experiment.id == "minibatch") {
    return {CellFigure(comparison, experiment, "",
                       "Score against the minibatch size; the first minibatch of SDA is no larger "
                       "than the others here.",
                       &RunResult::score, "minibatch size (documents)", kScoreAxis)};
  }
  if (experiment.id == "svi_steps") {
    return {CellFigure(comparison, experiment, "",
                       "Score of SVI against kappa; the step of minibatch t is (tau0 + t) to the "
                       "power of −kappa.",
                       &RunResult::score, "kappa", kScoreAxis)};
  }
  if (!experiment.curve) return {};
  const char* caption =
      experiment.id == "anytime"
          ? "Score against documents seen. Whiskers reach from the lowest seed to the highest. SDA "
            "starts with a large first minibatch, or, “early start”, with one like all others."
          : "Score of SVI against documents seen, for each number of documents it is told.";
  return {{experiment.id + ".svg", caption, CurvePlot(comparison, experiment)}};
}

std::string Row(const char* tag, const std::vector<std::string>& cells) {
  std::string out = "<tr>";
  for (const std::string& cell : cells) out += fmt::format("<{0}>{1}</{0}>", tag, XmlText(cell));
  return out + "</tr>\n";
}

std::string SeedsText(const Cell& cell) {
  if (cell.runs.size() < 2) return "one";
  return fmt::format("{} to {}", ScoreText(cell.Low()), ScoreText(cell.High()));
}

std::string SecondsText(double seconds) {
  return seconds < 10 ? fmt::format("{:.2f}", seconds) : fmt::format("{:.1f}", seconds);
}

std::string Table(const Comparison& comparison, const Experiment& experiment) {
  const bool has_x = !experiment.x.empty();
  std::vector<std::string> head = {experiment.id == "table1" ? "algorithm" : "line"};
  if (has_x) head.push_back(experiment.x == "times_true_d" ? "times the true D" : experiment.x);
  for (const char* name : {"score", "seeds", "wall, s", "CPU, s", "memory, MB"}) {
    head.emplace_back(name);
  }
  std::string out = "<table>\n<thead>" + Row("th", head) + "</thead>\n<tbody>\n";
  for (const Cell& cell : CellsOf(comparison, experiment.id)) {
    std::vector<std::string> row = {cell.series};
    if (has_x) row.push_back(TickLabel(experiment.x == "eta" ? cell.runs[0]->eta : cell.x));
    row.push_back(ScoreText(cell.Score()));
    row.push_back(SeedsText(cell));
    row.push_back(SecondsText(cell.Seconds(&RunResult::wall_seconds)));
    row.push_back(SecondsText(cell.Seconds(&RunResult::cpu_seconds)));
    uint64_t peak = 0;
    for (const RunResult* run : cell.runs) peak = std::max(peak, run->peak_bytes);
    row.push_back(Grouped(peak / 1'000'000));
    out += Row("td", row);
  }
  return out + "</tbody></table>\n";
}

constexpr const char* kStyle = R"(
body { font: 15px/1.5 Helvetica, Arial, "DejaVu Sans", sans-serif; color: #222; max-width: 54em;
       margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em; } h2 { font-size: 1.2em; margin-top: 2em; }
table { border-collapse: collapse; font-size: 0.9em; font-variant-numeric: tabular-nums; }
th, td { padding: 0.15em 0.8em; text-align: right; border-bottom: 1px solid #ddd; }
th { border-bottom: 1px solid #333; } th:first-child, td:first-child { text-align: left; padding-left: 0; }
figure { margin: 1em 0; } figcaption { font-size: 0.9em; color: #444; }
svg { max-width: 100%; height: auto; }
code { overflow-wrap: anywhere; }
pre { font-size: 0.75em; white-space: pre-wrap; overflow-wrap: anywhere; background: #f6f6f6; padding: 0.8em; }
@media print {
  body { font-size: 10pt; max-width: none; margin: 0; }
  figure, tr { break-inside: avoid; } h2 { break-after: avoid; }
  pre { background: none; border: 1px solid #ccc; }
})";

std::string Setting(const Comparison& comparison) {
  const CorpusCopy& corpus = comparison.corpus;
  const uint64_t documents = corpus.documents;
  std::string out = "<p><code>" + XmlText(comparison.command) + "</code></p>\n";
  out += fmt::format(
      "<p>{} documents to learn from ({} tokens of {} words), {} held out to score on; {} "
      "documents were read. {} topics. Minibatches of {} documents over all workers; SDA starts "
      "with {} that go first. Seeds 1 to {} in the first three experiments, seed 1 in the others. "
      "{} "
      "cores.</p>\n",
      Grouped(documents), Grouped(corpus.tokens), Grouped(corpus.words), Grouped(corpus.held_out),
      Grouped(corpus.read), comparison.options.topics, Grouped(UsualMinibatch(documents)),
      Grouped(FirstMinibatchOf(documents)), comparison.options.seeds, comparison.options.cores);
  out +=
      "<p>The score is the held-out log predictive probability per token, natural logarithm: half "
      "of a held-out document’s words predict the other half; higher is better. Scores are means "
      "over the seeds. "
      "Times and memory are of the whole process, with reading and scoring, the fastest and the "
      "largest of the seeds; wall time also depends on the other load of the machine. Rows without "
      "an eta in their name use the program’s default. SVI is told the number of documents; SDA "
      "and SSU are told nothing.</p>\n";
  return out;
}

std::string Html(const Comparison& comparison) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>Streaming topic models compared</title>\n<style>{}\n</style></head>\n<body>\n"
      "<h1>Streaming topic models compared</h1>\n<h2>What was found</h2>\n<ul>\n",
      kStyle);
  for (const std::string& finding : Findings(comparison)) {
    out += "<li>" + XmlText(finding) + "</li>\n";
  }
  out += "</ul>\n<h2>What was run</h2>\n" + Setting(comparison);
  int number = 0;
  for (const Experiment& experiment : Experiments()) {
    out += fmt::format("<h2>{}. {}</h2>\n", ++number, XmlText(experiment.title));
    for (const Figure& figure : FiguresOf(comparison, experiment)) {
      out += fmt::format("<figure>\n{}<figcaption>{}</figcaption></figure>\n", Svg(figure.plot),
                         XmlText(figure.caption));
    }
    out += Table(comparison, experiment);
  }
  std::string failed;
  for (const auto& [name, result] : comparison.results) {
    if (!result.error.empty()) failed += XmlText(name + ": " + result.error) + "\n";
  }
  if (!failed.empty()) out += "<h2>Runs that failed</h2>\n<pre>" + failed + "</pre>\n";
  out +=
      "<h2>Commands</h2>\n<details><summary>Every run by its exact command, as in commands.sh"
      "</summary>\n<pre>" +
      XmlText(CommandsScript(comparison)) + "</pre></details>\n";
  return out + "</body></html>\n";
}

}  // namespace

void WriteReport(const Comparison& comparison, const std::string& folder) {
  for (const Experiment& experiment : Experiments()) {
    WriteTextFile(folder + "/" + experiment.id + ".csv", ExperimentCsv(comparison, experiment));
    for (const Figure& figure : FiguresOf(comparison, experiment)) {
      WriteTextFile(folder + "/" + figure.file, Svg(figure.plot));
    }
  }
  WriteTextFile(folder + "/curves.csv", CurvesCsv(comparison));
  WriteTextFile(folder + "/results.json", Dump(ResultsJson(comparison)) + "\n");
  WriteTextFile(folder + "/commands.sh", CommandsScript(comparison));
  WriteTextFile(folder + "/report.html", Html(comparison));
}

}  // namespace sda
