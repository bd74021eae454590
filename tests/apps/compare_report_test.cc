#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/compare_results.h"

namespace sda {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// Scores by the row of the table and the seed.
Comparison Made(const std::map<std::string, std::vector<double>>& scores) {
  Comparison comparison;
  comparison.command = "sda compare x";
  comparison.corpus.documents = comparison.options.documents = 1000;
  comparison.options.workers = 4;
  comparison.options.seeds = 2;
  comparison.options.primitives = {"vb", "gibbs"};
  for (const PlannedRun& run : MakePlan(comparison.options)) {
    const auto row = scores.find(run.series);
    if (run.experiment != "table1" || row == scores.end()) continue;
    comparison.plan.push_back(run);
    RunResult result;
    result.name = run.settings.Name();
    result.score = row->second.at(run.settings.seed - 1);
    result.documents = 1000;
    result.eta = 0.3;
    result.wall_seconds = 1.5;
    comparison.results[result.name] = result;
  }
  return comparison;
}

TEST(CompareReport, ADifferenceBeyondTheSeedsIsSaidToBeOne) {
  const auto findings =
      Findings(Made({{"SDA, VB, 1 worker", {-7.5, -7.52}}, {"SVI, told D", {-7.6, -7.62}}}));
  EXPECT_THAT(findings, Contains(HasSubstr("best score is that of “SDA, VB, 1 worker”, −7.510 "
                                           "(mean of 2 seeds, −7.520 to −7.500)")));
  EXPECT_THAT(findings, Contains(HasSubstr("0.100 higher (beyond seed-to-seed variation)")));
}

TEST(CompareReport, ADifferenceWithinTheSeedsIsSaidToBeNone) {
  const auto findings =
      Findings(Made({{"SDA, VB, 1 worker", {-7.5, -7.62}}, {"SVI, told D", {-7.6, -7.54}}}));
  EXPECT_THAT(findings, Contains(HasSubstr("(within seed-to-seed variation)")));
  EXPECT_THAT(findings, Not(Contains(HasSubstr("(beyond seed-to-seed variation)"))));
}

TEST(CompareReport, TheBestIsTheBestWhicheverItIs) {
  const auto findings = Findings(
      Made({{"SDA, VB, 1 worker", {-9, -9}}, {"SSU", {-7, -7.1}}, {"SVI, told D", {-8, -8}}}));
  EXPECT_THAT(findings, Contains(HasSubstr("best score is that of “SSU”")));
  EXPECT_THAT(findings, Contains(HasSubstr("against SVI that is told D: 1.000 lower")));
}

TEST(CompareReport, CellsAreMeansOverSeedsWithoutRunsThatFailed) {
  Comparison comparison = Made({{"SSU", {-7.5, -7.7}}, {"SVI, told D", {-8, -9}}});
  for (auto& [name, result] : comparison.results) {
    if (result.score == -9) result.error = "no memory";
  }
  const auto cells = CellsOf(comparison, "table1");
  ASSERT_EQ(cells.size(), 2);
  EXPECT_EQ(cells[0].series, "SVI, told D");
  EXPECT_EQ(cells[0].runs.size(), 1);
  EXPECT_DOUBLE_EQ(cells[1].Score(), -7.6);
  EXPECT_EQ(cells[1].Low(), -7.7);
  EXPECT_EQ(cells[1].High(), -7.5);
  EXPECT_THAT(ResultsJson(comparison).dump(), HasSubstr("\"error\":\"no memory\""));
}

TEST(CompareReport, CsvHasEveryDigitOfTheRun) {
  const Comparison comparison = Made({{"SSU", {-7.123456789012345, -7.5}}});
  EXPECT_EQ(ExperimentCsv(comparison, Experiments()[0]),
            "series,eta,seed,log_predictive_probability,wall_seconds,cpu_seconds,peak_rss_bytes,"
            "documents,test_tokens,run\n"
            "\"SSU\",0.3,1,-7.123456789012345,1.5,0,0,1000,0," +
                comparison.plan[0].settings.Name() + "\n\"SSU\",0.3,2,-7.5,1.5,0,0,1000,0," +
                comparison.plan[1].settings.Name() + "\n");
}

TEST(CompareReport, CommandsAreQuotedForTheShell) {
  EXPECT_EQ(ShellCommand({"a", "b c", "it's", ""}), "a 'b c' 'it'\\''s' ''");
}

}  // namespace
}  // namespace sda
