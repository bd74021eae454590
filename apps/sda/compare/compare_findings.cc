#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "compare/compare_results.h"
#include "sda/topic_search.h"

namespace sda {
namespace {

const Cell* Find(const std::vector<Cell>& cells, const std::string& series, double x = 0) {
  for (const Cell& cell : cells) {
    if (cell.series == series && cell.x == x) return &cell;
  }
  return nullptr;
}

bool Overlap(const Cell& a, const Cell& b) { return a.Low() <= b.High() && b.Low() <= a.High(); }

// Compares a with b, in relation to the spread over seeds: "0.031 higher (beyond seed-to-seed
// variation)".
std::string Against(const Cell& a, const Cell& b) {
  const double difference = a.Score() - b.Score();
  const bool one = a.runs.size() < 2 || b.runs.size() < 2;
  return fmt::format("{:.3f} {} ({})", std::abs(difference), difference < 0 ? "lower" : "higher",
                     one             ? "one seed each, which proves little"
                     : Overlap(a, b) ? "within seed-to-seed variation"
                                     : "beyond seed-to-seed variation");
}

std::string Of(const Cell& cell) {
  if (cell.runs.size() < 2) return ScoreText(cell.Score());
  return fmt::format("{} (mean of {} seeds, {} to {})", ScoreText(cell.Score()), cell.runs.size(),
                     ScoreText(cell.Low()), ScoreText(cell.High()));
}

bool LowerScore(const Cell& a, const Cell& b) { return a.Score() < b.Score(); }

// Rows with the documents of all the others, at one eta.
std::vector<Cell> Rows(const Comparison& comparison, bool paper) {
  std::vector<Cell> rows = CellsOf(comparison, "table1");
  std::erase_if(rows, [&](const Cell& cell) {
    return (cell.x != 0) != paper || cell.runs[0]->documents != comparison.corpus.documents;
  });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Cell& a, const Cell& b) { return LowerScore(b, a); });
  return rows;
}

void Table(const Comparison& comparison, std::vector<std::string>* out) {
  const std::vector<Cell> cells = CellsOf(comparison, "table1");
  for (const bool paper : {false, true}) {
    const std::vector<Cell> rows = Rows(comparison, paper);
    if (rows.size() < 2) continue;
    out->push_back(
        fmt::format("{}: the best score is that of “{}”, {}; next is “{}”, {}.",
                    paper ? "With the paper’s eta of 0.01" : "With the program’s defaults",
                    rows[0].series, Of(rows[0]), rows[1].series, Against(rows[1], rows[0])));
    const std::string eta = paper ? ", eta 0.01" : "";
    const double x = paper ? 0.01 : 0;
    const Cell* one = Find(cells, "SDA, VB, 1 worker" + eta, x);
    const Cell* svi = Find(cells, "SVI, told D" + eta, x);
    const Cell* many =
        Find(cells, fmt::format("SDA, VB, {} workers{}", comparison.options.workers, eta), x);
    if (one && svi) {
      out->back() += fmt::format(" SDA with VB, told nothing, against SVI that is told D: {}.",
                                 Against(*one, *svi));
    }
    if (one && many) {
      out->back() += fmt::format(" SDA with VB, {} workers against one: {}.",
                                 comparison.options.workers, Against(*many, *one));
    }
  }
}

void AnyTime(const Comparison& comparison, std::vector<std::string>* out) {
  std::vector<std::string> parts;
  for (const Cell& cell : CellsOf(comparison, "anytime")) {
    const auto& curve = cell.runs[0]->curve;
    if (curve.empty()) continue;
    parts.push_back(fmt::format("{} {} after {} documents", cell.series,
                                ScoreText(curve.front().score), Grouped(curve.front().documents)));
  }
  if (parts.empty()) return;
  out->push_back(
      fmt::format("The first posterior of each run scores (seed 1): {}.", fmt::join(parts, "; ")));
}

void Workers(const Comparison& comparison, std::vector<std::string>* out) {
  std::vector<Cell> cells = CellsOf(comparison, "workers");
  if (!Find(cells, "synchronous", 1)) return;
  const Cell one = *Find(cells, "synchronous", 1);
  std::erase_if(cells, [](const Cell& cell) { return cell.x == 1; });
  if (cells.empty()) return;
  auto wall = [](const Cell& cell) { return cell.Seconds(&RunResult::wall_seconds); };
  const auto fastest = std::min_element(cells.begin(), cells.end(),
                                        [&](auto& a, auto& b) { return wall(a) < wall(b); });
  const auto worst = std::min_element(cells.begin(), cells.end(), LowerScore);
  out->push_back(fmt::format(
      "One worker on one thread takes {:.3g} s; {:g} {} workers, the fastest of the others, take "
      "{:.3g} s on a machine of {} cores: {:.2f} times as fast. The lowest score with many, that "
      "of "
      "{:g} {} workers, against one worker: {}.",
      wall(one), fastest->x, fastest->series, wall(*fastest), comparison.options.cores,
      wall(one) / wall(*fastest), worst->x, worst->series, Against(*worst, one)));
}

// The lowest and the highest cell, in words.
template <class Name>
std::string Between(const std::vector<Cell>& cells, const Name& name) {
  const auto [low, high] = std::minmax_element(cells.begin(), cells.end(), LowerScore);
  return fmt::format("{} ({}) and {} ({})", ScoreText(low->Score()), name(*low),
                     ScoreText(high->Score()), name(*high));
}

void Sensitivity(const Comparison& comparison, std::vector<std::string>* out) {
  std::vector<std::string> names, parts;
  const std::vector<Cell> sizes = CellsOf(comparison, "minibatch");
  for (const Cell& cell : sizes) {
    if (std::find(names.begin(), names.end(), cell.series) != names.end()) continue;
    names.push_back(cell.series);
    std::vector<Cell> line = sizes;
    std::erase_if(line, [&](const Cell& c) { return c.series != cell.series; });
    const auto [low, high] = std::minmax_element(line.begin(), line.end(), LowerScore);
    parts.push_back(fmt::format("{} by {:.3f} (best {} at {})", cell.series,
                                high->Score() - low->Score(), ScoreText(high->Score()),
                                Grouped(static_cast<uint64_t>(high->x))));
  }
  if (!parts.empty()) {
    out->push_back(
        fmt::format("Over the minibatch sizes the score changes: {}.", fmt::join(parts, "; ")));
  }
  const std::vector<Cell> told = CellsOf(comparison, "svi_documents");
  if (const Cell* truth = Find(told, "D", 1)) {
    out->push_back(fmt::format("SVI scores {} told the true D; over all it was told, between {}.",
                               ScoreText(truth->Score()),
                               Between(told, [](const Cell& c) { return c.series; })));
  }
  const std::vector<Cell> steps = CellsOf(comparison, "svi_steps");
  if (!steps.empty()) {
    out->push_back(fmt::format("Over the learning rates tried, SVI scores between {}.",
                               Between(steps, [](const Cell& c) {
                                 return fmt::format("{}, kappa {:g}", c.series, c.x);
                               })));
  }
}

void Topics(const Comparison& comparison, std::vector<std::string>* out) {
  const std::vector<Cell> cells = CellsOf(comparison, "topics");
  if (cells.empty()) return;
  std::vector<std::string> parts;
  for (const Cell& cell : cells) {
    parts.push_back(fmt::format("{:g} topics {} ± {:.3f}", cell.x, Of(cell), cell.Error()));
  }
  out->push_back(fmt::format(
      "Scores, with the 95% interval over the held-out documents: {}. All numbers were scored on "
      "the same documents, so that they differ with more certainty than these intervals.",
      fmt::join(parts, "; ")));
}

std::string TopicsAdvice(const std::vector<Cell>& cells) {
  const Cell& best = *std::max_element(cells.begin(), cells.end(), LowerScore);
  std::string advice =
      fmt::format("Use --topics {:g} for these documents: the best score, {}", best.x, Of(best));
  const auto fewer = std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) {
    return cell.Score() >= best.Score() - kTopicTolerance;
  });
  if (fewer->x == best.x) {
    const bool most =
        std::all_of(cells.begin(), cells.end(), [&](const Cell& cell) { return cell.x <= best.x; });
    return advice + (most ? "; more were not tried, and may score higher." : ".");
  }
  return advice + fmt::format(
                      "; {:g} topics, which are faster and easier to read, score {:.3f} "
                      "lower.",
                      fewer->x, best.Score() - fewer->Score());
}

}  // namespace

std::string Advice(const Comparison& comparison) {
  const std::vector<Cell> topics = CellsOf(comparison, "topics");
  if (!topics.empty()) return TopicsAdvice(topics);
  std::vector<Cell> rows = Rows(comparison, false);
  if (rows.empty()) return "";
  const Cell* const usual = Find(rows, "sda fit, no options");
  if (usual == nullptr || usual->series == rows[0].series) {
    return fmt::format("For these documents, use “{}”: it scores {}{}.", rows[0].series,
                       Of(rows[0]),
                       rows.size() < 2 ? ""
                                       : fmt::format("; the next best, “{}”, scores {}",
                                                     rows[1].series, Against(rows[1], rows[0])));
  }
  if (usual->runs.size() > 1 && rows[0].runs.size() > 1 && Overlap(*usual, rows[0])) {
    return fmt::format("For these documents, “{}” will do: the best, “{}”, scores {}.",
                       usual->series, rows[0].series, Against(rows[0], *usual));
  }
  return fmt::format("For these documents, use “{}”: it scores {}; “{}” scores {}.", rows[0].series,
                     Of(rows[0]), usual->series, Against(*usual, rows[0]));
}

std::vector<std::string> Findings(const Comparison& comparison) {
  std::vector<std::string> out;
  Topics(comparison, &out);
  Table(comparison, &out);
  AnyTime(comparison, &out);
  Workers(comparison, &out);
  Sensitivity(comparison, &out);
  return out;
}

}  // namespace sda
