#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "compare/compare_figures.h"
#include "compare/compare_results.h"
#include "compare/plot.h"
#include "ui/command.h"

namespace sda {
namespace {

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
  for (const char* name :
       {"score", "95% interval over documents", "seeds", "wall, s", "CPU, s", "memory, MB"}) {
    head.emplace_back(name);
  }
  std::string out = "<table>\n<thead>" + Row("th", head) + "</thead>\n<tbody>\n";
  for (const Cell& cell : CellsOf(comparison, experiment.id)) {
    std::vector<std::string> row = {cell.series};
    if (has_x) row.push_back(TickLabel(experiment.x == "eta" ? cell.runs[0]->eta : cell.x));
    row.push_back(ScoreText(cell.Score()));
    row.push_back(fmt::format("± {:.3f}", cell.Error()));
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
.advice { font-size: 1.15em; } dt { font-weight: bold; float: left; margin-right: 0.6em; }
dd { margin-left: 0; } figure { margin: 1em 0; } figcaption { font-size: 0.9em; color: #444; }
svg { max-width: 100%; height: auto; }
code { overflow-wrap: anywhere; }
pre { font-size: 0.75em; white-space: pre-wrap; overflow-wrap: anywhere; background: #f6f6f6; padding: 0.8em; }
@media print {
  body { font-size: 10pt; max-width: none; margin: 0; }
  figure, tr { break-inside: avoid; } h2 { break-after: avoid; }
  pre { background: none; border: 1px solid #ccc; }
})";

// The experiment whose picture stands at the top: the one that shows the advice.
const Experiment& First(const Comparison& comparison) {
  const auto& all = Experiments();
  const auto shown = std::find_if(all.begin(), all.end(), [&](const Experiment& experiment) {
    return Has(comparison, experiment) && !FiguresOf(comparison, experiment).empty();
  });
  return shown == all.end() ? all.front() : *shown;
}

std::string FigureHtml(const Figure& figure) {
  return fmt::format("<figure>\n{}<figcaption>{}</figcaption></figure>\n", Svg(figure.plot),
                     XmlText(figure.caption));
}

// What the rows and lines are called.
constexpr const char* kNames =
    "<h2>What the names mean</h2>\n<dl>\n"
    "<dt>SDA</dt><dd>streaming, distributed, asynchronous Bayesian inference: every minibatch is "
    "learnt from once, and added to the posterior; what sda fit does</dd>\n"
    "<dt>SVI</dt><dd>stochastic variational inference: steps of a decreasing learning rate towards "
    "the posterior of a number of documents, D, that must be told in advance</dd>\n"
    "<dt>SSU</dt><dd>streaming sufficient statistics: SDA with a single iteration over each "
    "minibatch</dd>\n"
    "<dt>VB</dt><dd>variational Bayes, --primitive vb: how SDA, SVI or SSU learn from a "
    "minibatch</dd>\n"
    "<dt>Gibbs</dt><dd>Gibbs sampling, the default of sda fit</dd>\n"
    "<dt>EP</dt><dd>expectation propagation, --primitive ep</dd>\n"
    "<dt>eta</dt><dd>the prior of the words of a topic</dd>\n"
    "<dt>early start</dt><dd>a first minibatch no larger than the others</dd>\n</dl>\n";

std::string Setting(const Comparison& comparison) {
  const CorpusCopy& corpus = comparison.corpus;
  const uint64_t documents = corpus.documents;
  std::string out = "<p><code>" + XmlText(comparison.command) + "</code></p>\n";
  out += fmt::format(
      "<p>{} documents to learn from ({} tokens of {} words), {} held out to score on; {} "
      "documents were read.",
      Grouped(documents), Grouped(corpus.tokens), Grouped(corpus.words), Grouped(corpus.held_out),
      Grouped(corpus.read));
  if (comparison.options.try_topics.empty()) {
    out += fmt::format(
        " {} topics. Minibatches of {} documents over all workers; SDA starts with {} that go "
        "first. Seeds 1 to {} in the first three experiments, seed 1 in the others.",
        comparison.options.topics, Grouped(UsualMinibatch(documents)),
        Grouped(FirstMinibatchOf(documents)), comparison.options.seeds);
  } else {
    out += fmt::format(" Each run is sda fit with its defaults, seeds 1 to {}.",
                       comparison.options.seeds);
  }
  out += fmt::format(" {} cores.</p>\n", comparison.options.cores);
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
      "<h1>Streaming topic models compared</h1>\n<p class=\"advice\">{}</p>\n",
      kStyle, XmlText(Advice(comparison)));
  const Experiment& first = First(comparison);
  for (const Figure& figure : FiguresOf(comparison, first)) out += FigureHtml(figure);
  if (!Has(comparison, {.id = "topics"})) out += kNames;
  out += "<h2>What was found</h2>\n<ul>\n";
  for (const std::string& finding : Findings(comparison)) {
    out += "<li>" + XmlText(finding) + "</li>\n";
  }
  out += "</ul>\n<h2>What was run</h2>\n" + Setting(comparison);
  int number = 0;
  for (const Experiment& experiment : Experiments()) {
    if (!Has(comparison, experiment)) continue;
    out += fmt::format("<h2>{}. {}</h2>\n", ++number, XmlText(experiment.title));
    if (experiment.id == first.id) {
      out += "<p>The picture is at the top.</p>\n";
    } else {
      for (const Figure& figure : FiguresOf(comparison, experiment)) out += FigureHtml(figure);
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
    if (!Has(comparison, experiment)) continue;
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
