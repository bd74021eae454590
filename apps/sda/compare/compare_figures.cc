#include "compare/compare_figures.h"

#include <algorithm>
#include <map>
#include <set>

namespace sda {
namespace {

constexpr const char* kScoreAxis = "log predictive probability per token (nats)";
constexpr double kLeastScores = 0.1;  // so that smaller differences look small

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

// A point for each row of the table that learns from all documents, at the program's eta.
Plot TablePlot(const Comparison& comparison, const Experiment& experiment) {
  Plot plot{.title = experiment.title,
            .x_label = "wall time of the whole run (seconds)",
            .y_label = kScoreAxis,
            .log_x = true,
            .least_y_range = kLeastScores,
            .lines = {}};
  for (const Cell& cell : CellsOf(comparison, experiment.id)) {
    if (cell.x != 0 || cell.runs[0]->documents != comparison.corpus.documents) continue;
    const double seconds = std::max(1e-3, cell.Seconds(&RunResult::wall_seconds));
    plot.lines.push_back({cell.series, {{seconds, cell.Score(), cell.Low(), cell.High()}}});
  }
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

}  // namespace

std::vector<Figure> FiguresOf(const Comparison& comparison, const Experiment& experiment) {
  if (experiment.id == "table1") {
    return {{"table1.svg",
             "Score against wall time, the fastest of the seeds, with the program’s defaults: best "
             "is at the top, fastest at the left. Whiskers reach from the lowest seed to the "
             "highest.",
             TablePlot(comparison, experiment)}};
  }
  if (experiment.id == "topics") {
    Figure figure =
        CellFigure(comparison, experiment, "",
                   "Score against the number of topics, the mean over the seeds. Whiskers are the "
                   "95% interval over the held-out documents, the same for all numbers.",
                   &RunResult::score, "topics", kScoreAxis);
    const std::vector<Cell> cells = CellsOf(comparison, experiment.id);
    for (PlotLine& line : figure.plot.lines) {
      for (size_t i = 0; i < line.points.size(); ++i) {
        line.points[i].low = cells[i].Score() - cells[i].Error();
        line.points[i].high = cells[i].Score() + cells[i].Error();
      }
    }
    return {figure};
  }
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

}  // namespace sda
