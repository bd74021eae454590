#ifndef SDA_APPS_COMPARE_COMPARE_RESULTS_H_
#define SDA_APPS_COMPARE_COMPARE_RESULTS_H_

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare/compare_corpus.h"
#include "compare/compare_plan.h"
#include "compare/compare_run.h"

namespace sda {

// All that a report is made of.
struct Comparison {
  std::string command;  // `sda compare ...`, as it was called
  CorpusCopy corpus;
  CorpusCopy part;  // for slow primitives; empty if there are none
  PlanOptions options;
  std::vector<PlannedRun> plan;
  std::map<std::string, RunResult> results;  // by RunSettings::Name()
};

// The runs of one place in an experiment: the same settings with several seeds.
struct Cell {
  std::string series;
  double x = 0;
  std::vector<const RunResult*> runs;  // not empty

  double Score() const;  // mean over the seeds
  double Low() const;    // lowest score of a seed
  double High() const;
  double Error() const;  // half of the 95% interval over documents, the mean over the seeds
  // The minimum over the seeds: other load of the machine can only add to it.
  double Seconds(double RunResult::*clock) const;
};

// Series in the order of the plan, x ascending in each; without runs that failed.
std::vector<Cell> CellsOf(const Comparison& comparison, const std::string& experiment);

// A row for each run of an experiment: series, x, seed, score, times, memory, run.
std::string ExperimentCsv(const Comparison& comparison, const Experiment& experiment);
// A row for each point of each run's curve.
std::string CurvesCsv(const Comparison& comparison);
// Everything.
nlohmann::ordered_json ResultsJson(const Comparison& comparison);
// A script that repeats every run by its exact command.
std::string CommandsScript(const Comparison& comparison);

// A run in progress lines: "minibatch: SDA, VB, eta 1, minibatch 64".
std::string LabelOf(const PlannedRun& run);

// Whether the plan has runs of this experiment.
bool Has(const Comparison& comparison, const Experiment& experiment);

// What to do, in one sentence; empty if no run has a score.
std::string Advice(const Comparison& comparison);

// What was found, in a few sentences made from the numbers.
std::vector<std::string> Findings(const Comparison& comparison);

// Writes report.html, the plots, the tables and the script into the folder.
void WriteReport(const Comparison& comparison, const std::string& folder);

// -7.4093 as "−7.409".
std::string ScoreText(double score);

}  // namespace sda

#endif  // SDA_APPS_COMPARE_COMPARE_RESULTS_H_
